import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useSession } from './use-session.js';

const token = `pst_${'0'.repeat(42)}72YDVwp`;
const other = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_';

it('asks for another token only when the one in use is rejected', () => {
  const { result } = renderHook(() => useSession(token));
  const { use, reject, forget } = result.current;
  act(() => use(other));
  const using = result.current.session;
  act(() => reject(token, 'expired'));
  expect(result.current.session).toBe(using);
  act(() => reject(other, 'expired'));
  expect(result.current.session).toEqual({ token: other, active: false, problem: 'expired', asked: true });

  act(forget);
  const forgotten = result.current.session;
  act(() => reject(other, 'revoked'));
  expect(result.current.session).toBe(forgotten);
});
