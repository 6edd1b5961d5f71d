import css from "./side-bar.module.css";

/** Something of the game screen that is on or off. */
export function Switch({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className={css["switch"]}>
      {label}
      <input type="checkbox" checked={on} onChange={({ target }) => onChange(target.checked)} />
    </label>
  );
}
