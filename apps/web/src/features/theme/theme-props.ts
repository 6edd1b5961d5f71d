import type { AppearanceChange, AppearanceStore } from "../../shared/appearance/appearance.ts";

/** What every part of the theme works on. */
export type ThemeProps = {
  readonly appearance: AppearanceStore;
  /** Draws a choice at once, and keeps it with the account of a player. */
  readonly onChange: (choice: AppearanceChange) => void;
};
