import type { Timers } from "@longarm/link/socket";
import type { PushPort } from "@longarm/ui/browser-push.ts";
import type { Texts } from "@longarm/ui/i18n/texts.ts";
import type { Live } from "@longarm/ui/live.ts";
import type { Messages } from "@longarm/ui/messages.ts";
import type { Passkeys } from "@longarm/ui/passkeys.ts";
import { createContext, use } from "react";
import type { Acts } from "./acts.ts";
import type { Api } from "./api.ts";
import type { Keyboard } from "./keyboard.ts";
import type { Sessions } from "./session.ts";
import type { Tones } from "./tones.ts";

export type Palette = "night" | "daylight";

/** The started console: what its pages work with. */
export type Console = {
  readonly api: Api;
  readonly acts: Acts;
  readonly passkeys: Passkeys;
  /** Leaves the console for another page. */
  readonly leave: (href: string) => void;
  readonly sessions: Sessions;
  readonly texts: Texts;
  readonly messages: Messages;
  readonly clock: { now(): number };
  readonly timers: Timers;
  /** 0 to below 1. */
  readonly random: () => number;
  /** Since when the platform has not been reached, ms since 1970; null: it is. */
  readonly offlineSince: Live<number | null>;
  readonly tones: Tones;
  readonly push: PushPort;
  /** Whether changes are pushed to this page just now. */
  readonly live: Live<boolean>;
  readonly keyboard: Keyboard;
  readonly palette: Live<Palette>;
  changePalette(palette: Palette): void;
};

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const found = use(ConsoleContext);
  if (found === undefined) throw new Error("ConsoleContext is missing above this component");
  return found;
}
