import type { Timers } from "@longarm/link/socket";
import type { SayMessage } from "@longarm/ui/messages.ts";
import type { ComponentType } from "react";
import { createContext, use } from "react";

/** The account to open. */
export type NewAccount = { readonly displayName: string; readonly email: string; readonly password: string };
/** What is wrong with a field, and with none of them: texts as they are shown. */
export type AccountErrors = Partial<Record<keyof NewAccount | "form", string>>;

/** What the pages of the showcase need of the app that holds them. */
export type ShowcaseHost = {
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly say: SayMessage;
  /** Opens an account and signs it in: then it answers undefined, and the page moves on. */
  readonly register: (account: NewAccount) => Promise<AccountErrors | undefined>;
  /** What other features draw and the guide shows in each state: cabinets; SPIN, wallet and PIN pad; palettes. They load when they are drawn. */
  readonly states: Readonly<Record<"machines" | "controls" | "palettes", ComponentType>>;
};

export const ShowcaseContext = createContext<ShowcaseHost | undefined>(undefined);

export function useHost(): ShowcaseHost {
  const host = use(ShowcaseContext);
  if (host === undefined) throw new Error("ShowcaseContext is missing above this page");
  return host;
}

/** The person of the sample pages. Names are the same in every language. */
export const SAMPLE_PERSON = { name: "Selin Korkmaz", email: "selin.korkmaz@longarm.example" } as const;
