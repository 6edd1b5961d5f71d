import type { Market, RuleName } from "@longarm/platform/modules/protection/markets/index";
import { MARKET_IDS, MARKETS, RULE_NAMES } from "@longarm/platform/modules/protection/markets/index";

/** What each rule says, for a reader who does not know the code. */
const MEANINGS: Readonly<Record<RuleName, string>> = {
  minCycleMs: "least time from the start of one game to the start of the next, ms",
  releaseToPress: "each game needs a press of its own; a held key starts nothing",
  autoplay: "games may start by themselves",
  stopReels: "the player may stop the reels before their time",
  stakeCaps: "highest stake of one game below 25 years, and from 25 on, minor units",
  winBelowStakePlain: "a win that is not above the stake is shown without celebration",
  pictureMsMax: "a game starts only when the newest picture is not older, ms",
  realityCheckMin: "longest time between two reality checks, minutes",
  realityCheckMayBeOff: "the player may switch reality checks off",
  limitsOffered: "when limits are offered",
  limitsRequired: "limits without which no player plays",
  limitsOfAll: "limits of every player, minor units",
  looserAfterHours: "a looser limit holds after so many hours at the earliest",
  looserAskAgain: "a looser limit holds only when the player says yes again",
  looserAfterPeriod: "a limit becomes no looser before its running week or month is over",
  timeOutHours: "shortest and longest time-out, hours",
  exclusionMonthsMin: "shortest self-exclusion, months",
  panicHours: "break of the panic key, hours",
  forcedBreak: "break after long play, minutes",
  identityBefore: "identity and age are proved before",
  ageMin: "youngest player, years",
  identityKeepYears: "personal data of a proof are kept after the player was last here, years",
  termsBefore: "the newest terms of use are accepted before",
  registers: "national registers that are questioned",
  helpBeforePlay: "no player plays while the list of help organisations is empty",
  withdrawalTakeBack: "a player may take a requested withdrawal back",
  statementMonths: "how far back a statement reaches, months",
  careMeasures: "what is looked at to find a player whom play harms",
  careAt: "from which figure on it opens a case (`watch`), and calls staff (`strong`)",
};

/** The room or file, below the platform's modules, that plays by a rule; or why none does. */
export type Reader = { readonly file: string } | { readonly notEnforced: string };

const by = (file: string): Reader => ({ file });

/** Of each rule of a market the code that plays by it: a rule that no code reads protects no player. */
export const READERS: Readonly<Record<RuleName, Reader>> = {
  minCycleMs: by("play/session/seat-rules.ts"),
  releaseToPress: by("play/session/seat-rules.ts"),
  autoplay: by("play/session/seat-rules.ts"),
  stopReels: by("play/session/seat-rules.ts"),
  stakeCaps: by("play/session/seat-rules.ts"),
  winBelowStakePlain: by("play/session/seat-rules.ts"),
  pictureMsMax: by("play/session/seat-rules.ts"),
  realityCheckMin: by("protection/checks/checks.ts"),
  realityCheckMayBeOff: by("protection/checks/checks.ts"),
  limitsOffered: by("protection/limits/offer.ts"),
  limitsRequired: by("protection/limits/limits.ts"),
  limitsOfAll: by("protection/limits/limits.ts"),
  looserAfterHours: by("protection/limits/changes.ts"),
  looserAskAgain: by("protection/limits/changes.ts"),
  looserAfterPeriod: by("protection/limits/changes.ts"),
  timeOutHours: by("protection/breaks/breaks.ts"),
  exclusionMonthsMin: by("protection/breaks/breaks.ts"),
  panicHours: by("protection/breaks/breaks.ts"),
  forcedBreak: by("play/control/enforce.ts"),
  identityBefore: by("protection/identity/identity.ts"),
  ageMin: by("protection/identity/identity.ts"),
  identityKeepYears: by("staff/desk/identity.ts"),
  termsBefore: by("protection/terms/terms.ts"),
  registers: by("protection/registers/keeper.ts"),
  helpBeforePlay: by("protection/gates/index.ts"),
  careMeasures: by("protection/care/measures.ts"),
  careAt: by("protection/care/measures.ts"),
  withdrawalTakeBack: { notEnforced: "players request no withdrawals: the desk pays out at once" },
  statementMonths: { notEnforced: "statements, histories and CSV go back to the first move" },
};

const SEEN = { text: "text", summary: "summary", unchecked: "**no**" } as const;

/** The page of the markets' rules, made of the same data that the platform plays by. */
export function marketsPage(): string {
  return [
    "# Rules of each market",
    "",
    "Written by `npm run generate` from `apps/platform/src/modules/protection/markets`: what the platform plays by. `longarm markets choose` chooses one for the venue, a player or a machine; of all that apply the strictest rule holds (record 0200).",
    "",
    "*Read* says what we have read: the regulator's own text, somebody's summary, or neither. This is research and no legal advice: have an adviser check a market before you open in it. Rules that a market does not prescribe are as in *No market*.",
    ...MARKET_IDS.flatMap((id) => marketPart(MARKETS[id])),
    ...notEnforced(),
    "",
  ].join("\n");
}

/** Rules that are written down and that no code plays by. */
function notEnforced(): string[] {
  const names = RULE_NAMES.flatMap((name) => {
    const reader = READERS[name];
    return "notEnforced" in reader ? [`- \`${name}\`: ${reader.notEnforced}`] : [];
  });
  return ["", "## Rules that no code enforces", "", ...names];
}

function marketPart(market: Market): string[] {
  const shown = RULE_NAMES.filter(
    (name) => market.rules[name].source !== null || market.id === "none" || differs(market, name),
  );
  return [
    "",
    `## ${market.name} (\`${market.id}\`)`,
    "",
    ...(market.currency === null ? [] : [`Amounts are minor units of ${market.currency}.`, ""]),
    "| rule | value | clause | from | read |",
    "| --- | --- | --- | --- | --- |",
    ...shown.map((name) => {
      const { value, source } = market.rules[name];
      const from = source === null ? "ours | | " : `${source.clause} | ${source.version} | ${SEEN[source.seen]}`;
      return `| ${MEANINGS[name]} | \`${JSON.stringify(value)}\` | ${from} |`;
    }),
  ];
}

const differs = (market: Market, name: RuleName): boolean =>
  JSON.stringify(market.rules[name].value) !== JSON.stringify(MARKETS.none.rules[name].value);
