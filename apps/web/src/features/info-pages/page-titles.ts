import type { InfoPage } from "@longarm/contract/info-pages";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import type { TextKey } from "../../shared/i18n/text-key.ts";

/** The shown titles: those of the specification in English. */
export const PAGE_TITLES: Readonly<Record<InfoPage, TextKey>> = {
  passwordReset: "shell.passwordReset",
  gameRules: "shell.gameRules",
  playerProtection: "shell.playerProtection",
  termsOfUse: "shell.termsOfUse",
  privacyPolicy: "shell.privacyPolicy",
  paytables: "shell.paytables",
};

/** The six pages in their order. */
export const INFO_PAGE_IDS = Object.keys(INFO_PAGES) as InfoPage[];
