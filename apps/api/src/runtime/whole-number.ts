import * as z from 'zod';

/** The schema of a setting that is a whole number from `min` to `max`, in decimal digits. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}
