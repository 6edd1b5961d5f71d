import type { Language } from "@longarm/contract/settings";
import type { LoadCatalogue } from "@longarm/ui/i18n/texts.ts";
import type account from "./catalogues/en/account.json";
import type agents from "./catalogues/en/agents.json";
import type alerts from "./catalogues/en/alerts.json";
import type app from "./catalogues/en/app.json";
import type approvals from "./catalogues/en/approvals.json";
import type audit from "./catalogues/en/audit.json";
import type care from "./catalogues/en/care.json";
import type cashier from "./catalogues/en/cashier.json";
import type displays from "./catalogues/en/displays.json";
import type disputes from "./catalogues/en/disputes.json";
import type floor from "./catalogues/en/floor.json";
import type identity from "./catalogues/en/identity.json";
import type machines from "./catalogues/en/machines.json";
import type market from "./catalogues/en/market.json";
import type money from "./catalogues/en/money.json";
import type notices from "./catalogues/en/notices.json";
import type palette from "./catalogues/en/palette.json";
import type players from "./catalogues/en/players.json";
import type problem from "./catalogues/en/problem.json";
import type promotions from "./catalogues/en/promotions.json";
import type reports from "./catalogues/en/reports.json";
import type right from "./catalogues/en/right.json";
import type runbooks from "./catalogues/en/runbooks.json";
import type settings from "./catalogues/en/settings.json";
import type signIn from "./catalogues/en/signIn.json";
import type staff from "./catalogues/en/staff.json";
import type tasks from "./catalogues/en/tasks.json";
import type today from "./catalogues/en/today.json";
import type wall from "./catalogues/en/wall.json";

type Plural = "zero" | "one" | "two" | "few" | "many" | "other";
type Whole<K> = K extends `${infer Base}_${Plural}` ? Base : K;
type Keys<A extends string, T> = `${A}.${Whole<keyof T & string>}`;

/** Every key of the console's texts, as `area.key`. */
export type TextKey =
  | Keys<"account", typeof account>
  | Keys<"agents", typeof agents>
  | Keys<"alerts", typeof alerts>
  | Keys<"app", typeof app>
  | Keys<"approvals", typeof approvals>
  | Keys<"audit", typeof audit>
  | Keys<"care", typeof care>
  | Keys<"disputes", typeof disputes>
  | Keys<"floor", typeof floor>
  | Keys<"identity", typeof identity>
  | Keys<"players", typeof players>
  | Keys<"machines", typeof machines>
  | Keys<"market", typeof market>
  | Keys<"money", typeof money>
  | Keys<"cashier", typeof cashier>
  | Keys<"today", typeof today>
  | Keys<"displays", typeof displays>
  | Keys<"palette", typeof palette>
  | Keys<"wall", typeof wall>
  | Keys<"tasks", typeof tasks>
  | Keys<"notices", typeof notices>
  | Keys<"runbooks", typeof runbooks>
  | Keys<"problem", typeof problem>
  | Keys<"promotions", typeof promotions>
  | Keys<"reports", typeof reports>
  | Keys<"right", typeof right>
  | Keys<"settings", typeof settings>
  | Keys<"signIn", typeof signIn>
  | Keys<"staff", typeof staff>;

declare module "@longarm/ui/i18n/texts.ts" {
  interface Catalogues {
    readonly keys: TextKey;
  }
}

const files = import.meta.glob<Readonly<Record<string, string>>>("./catalogues/*/*.json", { import: "default" });

export const loadCatalogue: LoadCatalogue = async (language, area) => {
  // Readex Pro only where Arabic is written.
  if (language === "ar") await import("@longarm/ui/fonts/readex.css");
  const file = files[`./catalogues/${language}/${area}.json`];
  if (file === undefined) throw new Error(`There is no catalogue "${area}" in "${language}"`);
  return file();
};

/** The first language of the browser that we speak; else English. */
export function firstLanguage(kept: string | null, wanted: readonly string[]): Language {
  const spoken = (tag: string): tag is Language => tag === "tr" || tag === "en" || tag === "ar";
  const [language] = [kept ?? "", ...wanted.map((tag) => tag.slice(0, 2).toLowerCase())].filter(spoken);
  return language ?? "en";
}
