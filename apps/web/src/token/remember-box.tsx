import { useId } from 'react';
import { isDeviceBlocked, type StorageArea } from './stored-token.js';

interface RememberBoxProps {
  readonly area: StorageArea;
  onChange(area: StorageArea): void;
}

/** Asks whether to keep the token on the device. */
export function RememberBox({ area, onChange }: RememberBoxProps) {
  const id = useId();
  return (
    <div className="choice">
      <input
        id={id}
        type="checkbox"
        checked={area === 'device'}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onChange(target.checked ? 'device' : 'tab')}
      />
      <label htmlFor={id}>Remember on this device</label>
      <p id={`${id}-note`} className="note">
        Until you sign out, anyone who uses this browser has your access.
      </p>
      {area === 'device' && isDeviceBlocked() && (
        <p role="alert" className="message problem">
          Not remembered: your browser blocks storage, so you will have to sign in again.
        </p>
      )}
    </div>
  );
}
