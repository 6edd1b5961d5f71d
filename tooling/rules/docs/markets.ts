import type { Market, MarketId, RuleName } from "@longarm/platform/modules/protection/markets/index";
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
  recorded: "a game starts only while play is recorded",
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
  withdrawalTakeBack: "the player may take a withdrawal back that is not paid yet",
  panicHours: "break of the panic key, hours",
  forcedBreak: "break after long play, minutes",
  identityBefore: "identity and age are proved before",
  ageMin: "youngest player, years",
  identityKeepYears: "personal data of a proof are kept after the player was last here, years",
  termsBefore: "the newest terms of use are accepted before",
  registers: "national registers that are questioned",
  questionDays: "a question about a game is answered within, days",
  helpBeforePlay: "no player plays while the list of help organisations is empty",
  careMeasures: "what is looked at to find a player whom play harms",
  careAt: "from which figure on it opens a case (`watch`), and calls staff (`strong`)",
};

/** The file, below the platform's modules, that plays by a rule, and the test that proves it in detail. */
type Reader = { readonly file: string; readonly test: string; readonly title: string };

const MODULES = "apps/platform/src/modules/";
/** A test of the platform is named as the file is, below its modules. */
const by = (file: string, test: string, title: string): Reader => ({
  file: `${MODULES}${file}`,
  test: /^(apps|e2e)\//.test(test) ? test : `${MODULES}${test}`,
  title,
});

/** Of each rule of a market the code that plays by it and a test: a rule that no code reads protects no player. */
export const READERS: Readonly<Record<RuleName, Reader>> = {
  minCycleMs: by(
    "play/session/seat-rules.ts",
    "apps/agent/src/seat/press-guard.test.ts",
    "RTS 14D: from start to start the longer",
  ),
  releaseToPress: by(
    "play/session/seat-rules.ts",
    "e2e/scripted/game-protection.test.ts",
    "and a held key starts nothing",
  ),
  autoplay: by(
    "play/session/seat-rules.ts",
    "apps/agent/src/seat/press-guard.test.ts",
    "RTS 8A: a game that the page starts by itself",
  ),
  stopReels: by("play/session/seat-rules.ts", "apps/agent/src/seat/press-guard.test.ts", "RTS 14E: the driver learns"),
  stakeCaps: by("play/session/seat-rules.ts", "apps/agent/src/seat/press-guard.test.ts", "SI 2025: a stake above"),
  winBelowStakePlain: by(
    "play/session/seat-rules.ts",
    "apps/web/src/features/play/state/interruption.test.ts",
    "what is not more than the stake is celebrated by nothing",
  ),
  pictureMsMax: by(
    "play/session/seat-rules.ts",
    "apps/agent/src/seat/press-guard.test.ts",
    "GLI-19 4.18.2: no game starts unseen",
  ),
  recorded: by("play/session/seat-rules.ts", "apps/agent/src/seat/press-guard.test.ts", "no game starts unrecorded"),
  realityCheckMin: by(
    "protection/checks/checks.ts",
    "play/session/reality-check.test.ts",
    "comes when its time at machines is over",
  ),
  realityCheckMayBeOff: by(
    "protection/checks/checks.ts",
    "play/session/reality-check.test.ts",
    "and none where it may be off",
  ),
  limitsOffered: by(
    "protection/limits/offer.ts",
    "protection/limits/limits-offer.test.ts",
    "no seat and no deposit before the answer",
  ),
  limitsRequired: by(
    "protection/limits/limits.ts",
    "protection/limits/limits.test.ts",
    "who has not set the limits that the market demands",
  ),
  limitsOfAll: by(
    "protection/limits/limits.ts",
    "protection/limits/limits.test.ts",
    "the market's own limit holds for a player without any",
  ),
  looserAfterHours: by(
    "protection/limits/changes.ts",
    "protection/limits/limits.test.ts",
    "a looser one after the wait and the yes of the market",
  ),
  looserAskAgain: by(
    "protection/limits/changes.ts",
    "protection/own-limits/own-limits.test.ts",
    "hold again only with the player's yes",
  ),
  looserAfterPeriod: by(
    "protection/limits/changes.ts",
    "protection/limits/limits.test.ts",
    "waits for the end of the calendar week or month",
  ),
  timeOutHours: by(
    "protection/breaks/breaks.ts",
    "protection/breaks/breaks.test.ts",
    "follows the market of the player",
  ),
  exclusionMonthsMin: by(
    "protection/breaks/breaks.ts",
    "protection/breaks/breaks.test.ts",
    "follows the market of the player",
  ),
  withdrawalTakeBack: by(
    "payments/player/requests.ts",
    "payments/player/payments.test.ts",
    "only where the market lets a player",
  ),
  panicHours: by("protection/breaks/breaks.ts", "protection/breaks/breaks.test.ts", "follows the market of the player"),
  forcedBreak: by(
    "play/control/enforce.ts",
    "protection/breaks/breaks.test.ts",
    "ends play with the reason of a limit",
  ),
  identityBefore: by(
    "protection/identity/identity.ts",
    "protection/identity/identity.test.ts",
    "play opens with the decision",
  ),
  ageMin: by(
    "protection/identity/identity.ts",
    "protection/identity/identity.test.ts",
    "a verified player of the least age may play",
  ),
  identityKeepYears: by(
    "staff/desk/identity.ts",
    "staff/listener/identity.test.ts",
    "data that the market lets the venue keep no longer",
  ),
  termsBefore: by("protection/terms/terms.ts", "protection/terms/terms.test.ts", "a market may close deposits too"),
  registers: by(
    "protection/registers/keeper.ts",
    "protection/registers/registers.test.ts",
    "only its answer opens the seat and deposits",
  ),
  questionDays: by(
    "records/disputes/player-routes.ts",
    "staff/listener/disputes.test.ts",
    "a market may want an answer sooner than the venue",
  ),
  helpBeforePlay: by(
    "protection/gates/index.ts",
    "protection/gates/play-problem.test.ts",
    "closes play while no organisation is listed",
  ),
  careMeasures: by(
    "protection/care/measures.ts",
    "protection/care/measures.test.ts",
    "time: minutes at machines within the seven days",
  ),
  careAt: by(
    "protection/care/measures.ts",
    "protection/care/measures.test.ts",
    "time: minutes at machines within the seven days",
  ),
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
    ...proofs(),
    ...clausesPart(),
    "",
  ].join("\n");
}

/** The code and the test of each rule. */
function proofs(): string[] {
  const rows = RULE_NAMES.map((name) => {
    const { file, test, title } = READERS[name];
    return `| ${MEANINGS[name]} | \`${file.replace(MODULES, "")}\` | \`${test.replace(MODULES, "")}\`: ${title} |`;
  });
  return [
    "",
    "## What proves each rule",
    "",
    "Paths without a workspace are below `apps/platform/src/modules`. No test waits for a time: agent and page get a clock of the test, and what the database's clock judges is moved in the rows.",
    "",
    "| rule | code | test |",
    "| --- | --- | --- |",
    ...rows,
  ];
}

/** A rule of a market by the clause that prescribes it. `title`: of its test in `CLAUSES_TEST`. */
type Clause = { readonly market: MarketId; readonly rule: RuleName; readonly clause: string; readonly title: string };

/** Where each clause is tested with the market's own value, and a clock of the test. */
export const CLAUSES_TEST = "proof/markets/clauses.test.ts";

/** Every clause that a document of a market prescribes, and every rule of the laboratory, which switches all of them on. */
export const CLAUSES: readonly Clause[] = MARKET_IDS.flatMap((market) =>
  RULE_NAMES.flatMap((rule): Clause[] => {
    const { source } = MARKETS[market].rules[rule];
    if (source === null && market !== "lab") return [];
    const clause = source?.clause ?? "ours";
    return [{ market, rule, clause, title: `${market}, ${clause}: ${rule}` }];
  }),
);

/** Each clause of each market with its value, code and test. */
function clausesPart(): string[] {
  return [
    "",
    "## What proves each clause",
    "",
    `Each row is a test of its own in \`${CLAUSES_TEST}\`, with the title of its last column: it drives the code with the value of that market, up to the boundary and over it.`,
    "",
    "| market | clause | rule | value | code | test |",
    "| --- | --- | --- | --- | --- | --- |",
    ...CLAUSES.map(({ market, rule, clause, title }) => {
      const value = JSON.stringify(MARKETS[market].rules[rule].value);
      const shown = rule === "careAt" || rule === "careMeasures" ? "as above" : `\`${value}\``;
      return `| \`${market}\` | ${clause} | \`${rule}\` | ${shown} | \`${READERS[rule].file.replace(MODULES, "")}\` | ${title} |`;
    }),
  ];
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
