import type { StaffCallName } from "@longarm/contract/staff";
import type { Audience, Reach } from "@longarm/contract/staff-campaigns";
import { CAMPAIGN_PLAYERS_MAX, CampaignFields, CLAIM_DAYS_MAX } from "@longarm/contract/staff-campaigns";
import { databaseTime } from "@longarm/database/clock";
import type { Kysely, Transaction } from "kysely";
import * as z from "zod/mini";
import type { CampaignStep, CampaignSums, PromotionsTables } from "../../modules/players/promotions/index.ts";
import { campaignSums, listCampaigns, listGrants, markOf } from "../../modules/players/promotions/index.ts";
import { beginCampaign, moveCampaign, reachOfPlan, writeCampaign } from "../../modules/staff/desk/index.ts";
import type { ActOutcome } from "../../modules/staff/sign-in/index.ts";
import type { ActingDeps, Command, Fields } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import type { FutureTime } from "../fields.ts";
import {
  AMOUNT_ABOUT,
  amount,
  argument,
  DRY_RUN,
  futureTime,
  instant,
  instantOf,
  oneOf,
  option,
  ownId,
  plainText,
  required,
  requiredReason,
  rowLimit,
  wholeNumber,
  withDefault,
} from "../fields.ts";
import { count, printableLine, sayRows, timeText, writeAmount } from "../output.ts";
import { asStaff } from "../staff.ts";

const CAMPAIGN = argument("its id, as campaigns list prints it", ownId);
const REASON = requiredReason("why");

const list = command({
  name: "campaigns list",
  about: "list campaigns with what was granted and claimed, newest first",
  more: "  longarm campaigns list --state open",
  options: {
    state: withDefault("<state>", "open, ended or all (all)", "all", oneOf(["open", "ended", "all"])),
    limit: rowLimit({ max: 500, usual: 50 }),
  },
  async run({ db, say }, { state, limit }) {
    const found = await listCampaigns(db.withTables<PromotionsTables>(), { state, limit: limit.query });
    const { rows, more } = sayRows(say, limit, found, { word: "campaign", columns: columnsOf });
    return { campaigns: rows, more };
  },
});

const columnsOf = (row: CampaignSums): string[] => [
  row.id,
  row.state,
  row.name,
  `${writeAmount(row.amount)} each`,
  `${writeAmount(row.granted)} of ${writeAmount(row.budget)} granted`,
  `${writeAmount(row.claimed)} claimed`,
  `until ${timeText(row.ends_at)}`,
];

const show = command({
  name: "campaigns show",
  about: "show a campaign: whom it reaches now, what it granted and to whom",
  more: "  longarm campaigns show ca_8Kd2h1WmQz9yT0bLr4Xn",
  arguments: { campaign: CAMPAIGN },
  options: { limit: rowLimit({ max: 500, usual: 50 }) },
  async run({ db, say }, { campaign: id, limit }) {
    const campaign = await named(db, id);
    const { audience, name, state, amount: each, claim_days: days } = campaign;
    const line = (text: string) => say(printableLine(text));
    line(`"${name}" is ${state}: ${writeAmount(each)} to each player, to be claimed within ${count(days, "day")}.`);
    line(`From ${timeText(campaign.starts_at)} to ${timeText(campaign.ends_at)} UTC. ${audienceText(audience)}`);
    const sums = `${writeAmount(campaign.granted)} of ${writeAmount(campaign.budget)} granted to ${count(campaign.players, "player")}`;
    line(`${sums}; ${writeAmount(campaign.claimed)} claimed, ${writeAmount(campaign.open)} open.`);
    const reach = state === "ended" ? null : await reachOfPlan(db, campaign);
    if (reach !== null) line(`Now it would reach ${reachText(reach)}.`);
    if (campaign.started_by !== null) line(`Started by ${peopleText(campaign)}.`);
    const found = await listGrants(db.withTables<PromotionsTables>(), { campaignId: id, limit: limit.query });
    const { rows, more } = sayRows(say, limit, found, {
      word: "grant",
      columns: (row) => [timeText(row.granted_at), row.username, row.state, timeText(row.claimed_at)],
    });
    return { ...campaign, mark: markOf(campaign), reach, grants: rows, more };
  },
});

const peopleText = ({ started_by, signed_by }: CampaignSums): string =>
  signed_by === null ? `${started_by}` : `${started_by} and ${signed_by}`;

function audienceText(audience: CampaignSums["audience"]): string {
  if (audience.is === "list") return `For ${count(audience.players.length, "named player")}.`;
  const span = `from ${timeText(new Date(audience.from))} to ${timeText(new Date(audience.until))} UTC`;
  if (audience.is === "registered") return `For who registered ${span}.`;
  return `For who played ${span}${audience.brand === undefined ? "" : ` on machines of ${audience.brand}`}.`;
}

function reachText({ players, amount: sum, keptOut, given, beyondBudget }: Reach): string {
  const rest = [
    keptOut > 0 && `${keptOut} kept out`,
    given > 0 && `${given} have it`,
    beyondBudget > 0 && `${beyondBudget} beyond the budget`,
  ].filter((one) => one !== false);
  return `${count(players, "player")} with ${writeAmount(sum)}${rest.length > 0 ? ` (${rest.join(", ")})` : ""}`;
}

/** What a campaign is made of. */
const PLAN = {
  name: required("<text>", "kept as the reason of each bonus; 1 to 100 characters", plainText),
  amount: required("<amount>", `what each player gets: ${AMOUNT_ABOUT}`, amount),
  budget: required("<amount>", "never more than this is granted in all", amount),
  until: required("<time>", "when it ends: 7d, 2026-12-31, 2026-12-31T18:00Z", futureTime),
  from: option("<time>", "when it begins; without: once it is started", instant),
  days: withDefault(
    "<days>",
    `how long each player may claim it, 1 to ${CLAIM_DAYS_MAX} (30)`,
    "30",
    wholeNumber(1, CLAIM_DAYS_MAX),
  ),
  players: option("<names>", `usernames or ids with commas, at most ${CAMPAIGN_PLAYERS_MAX}`, plainText),
  registeredFrom: option("<time>", "who registered from then on", instant),
  registeredUntil: option("<time>", "and before this", instant),
  playedFrom: option("<time>", "who finished a game in a play session that began from then on", instant),
  playedUntil: option("<time>", "and before this", instant),
  brand: option("<brand>", "only on machines of this brand", plainText),
  reason: REASON,
  dryRun: DRY_RUN,
} as const satisfies Fields;

type Group = {
  readonly players: string | undefined;
  readonly registeredFrom: Date | undefined;
  readonly registeredUntil: Date | undefined;
  readonly playedFrom: Date | undefined;
  readonly playedUntil: Date | undefined;
  readonly brand: string | undefined;
};

/** @throws UsageProblem: none, or more than one. */
function audienceOf({ players, registeredFrom, registeredUntil, playedFrom, playedUntil, brand }: Group): Audience {
  const span = (from: Date | undefined, until: Date | undefined) =>
    from !== undefined && until !== undefined && { from: from.toISOString(), until: until.toISOString() };
  const registered = span(registeredFrom, registeredUntil);
  const played = span(playedFrom, playedUntil);
  const named = [players, registeredFrom ?? registeredUntil, playedFrom ?? playedUntil].filter(
    (one) => one !== undefined,
  );
  if (named.length === 1 && (brand === undefined || played)) {
    if (players !== undefined) return { is: "list", players: players.split(",").map((name) => name.trim()) };
    if (registered) return { is: "registered", ...registered };
    if (played) return { is: "played", ...played, ...(brand !== undefined && { brand }) };
  }
  throw new UsageProblem(
    "Say for whom: --players, or --registered-from and --registered-until, or --played-from and --played-until (also --brand).",
  );
}

type Written = Group & {
  readonly name: string;
  readonly amount: number;
  readonly budget: number;
  readonly until: FutureTime;
  readonly from: Date | undefined;
  readonly days: number;
};

/** What was typed, as the console sends it. @throws UsageProblem. */
async function fieldsOf(db: Kysely<unknown>, typed: Written): Promise<CampaignFields> {
  const read = z.safeParse(CampaignFields, {
    name: typed.name,
    amount: typed.amount,
    claimDays: typed.days,
    audience: audienceOf(typed),
    budget: typed.budget,
    startsAt: (typed.from ?? (await databaseTime(db))).toISOString(),
    endsAt: (await instantOf(db, typed.until)).toISOString(),
  });
  if (read.success) return read.data;
  throw new UsageProblem(`This is no campaign: --${String(read.error.issues[0]?.path.at(0) ?? "name")} is wrong.`);
}

const add = actCommand({
  name: "campaigns add",
  needs: "promotion.run",
  about: "write the draft of a campaign: a bonus for each player of a group",
  more: [
    '  longarm campaigns add --name "Friday night" --amount 50.00 --budget 10000.00 --until 7d --players deniz,ece --reason "slow week" --dry-run',
    "",
    "A draft grants nothing: campaigns start does. Who is banned, excluded or at a limit receives nothing.",
  ].join("\n"),
  options: PLAN,
  check: (typed) => void audienceOf(typed),
  run: (deps, typed) => write(deps, typed),
});

const change = actCommand({
  name: "campaigns change",
  needs: "promotion.run",
  about: "write the draft of a campaign again; what was started does not change",
  more: '  longarm campaigns change ca_8Kd2h1WmQz9yT0bLr4Xn --name "Friday night" --amount 50.00 --budget 8000.00 --until 7d --players deniz,ece --reason "less"',
  arguments: { campaign: CAMPAIGN },
  options: PLAN,
  check: (typed) => void audienceOf(typed),
  run: (deps, { campaign, ...typed }) => write(deps, typed, campaign),
});

type HowTyped = { readonly by: string; readonly reason: string; readonly dryRun: boolean };

async function write(deps: ActingDeps, typed: Written & HowTyped, id?: string): Promise<object> {
  const { by, reason, dryRun } = typed;
  const fields = await fieldsOf(deps.db, typed);
  const call = id === undefined ? "addCampaign" : "changeCampaign";
  const outcome = await carry(deps, call, { id, fields: { ...fields, reason }, by, dryRun }, (trx) =>
    writeCampaign(trx, deps.random, fields, { by, reason, id }),
  );
  return sayOutcome(deps, outcome, {
    done: (result) => `Written: ${String(result["id"])}. It would reach ${reachText(result["reach"] as Reach)}.`,
    would: `write the campaign "${fields.name}", which would reach ${reachIn(outcome)}`,
  });
}

const start = actCommand({
  name: "campaigns start",
  needs: "promotion.run",
  about: "start a draft: the platform grants from then on, within time and budget",
  more: [
    '  longarm campaigns start ca_8Kd2h1WmQz9yT0bLr4Xn --reason "as agreed" --dry-run',
    "",
    "The budget counts as granted by you: beyond your limit of bonuses in a day a second person signs.",
  ].join("\n"),
  arguments: { campaign: CAMPAIGN },
  options: { reason: REASON, dryRun: DRY_RUN },
  async run(deps, { campaign: id, reason, by, dryRun }) {
    const campaign = await named(deps.db, id);
    const mark = markOf(campaign);
    const outcome = await carry(deps, "startCampaign", { id, fields: { mark, reason }, by, dryRun }, async (trx) =>
      beginCampaign(trx, { id, mark }, async () => ({ start: { by, signedBy: null, reason } })),
    );
    return sayOutcome(deps, outcome, {
      done: (result) => `"${campaign.name}" runs. It reaches ${reachText(result["reach"] as Reach)} now.`,
      would: `start "${campaign.name}", which would reach ${reachIn(outcome)}`,
    });
  },
});

/** Whom it would reach, where a dry run says so. */
function reachIn(outcome: ActOutcome<Record<string, unknown>>): string {
  const reach = outcome.is === "dryRun" ? (outcome.result["reach"] as Reach | undefined) : undefined;
  return reach === undefined ? "its players" : reachText(reach);
}

type Words = { readonly about: string; readonly done: string; readonly would: string };

/** Pause, resume and end differ in their words alone. */
function stepCommand(step: CampaignStep, { about, done, would }: Words): Command {
  const calls = { pause: "pauseCampaign", resume: "resumeCampaign", end: "endCampaign" } as const;
  return actCommand({
    name: `campaigns ${step}`,
    needs: "promotion.run",
    about,
    more: `  longarm campaigns ${step} ca_8Kd2h1WmQz9yT0bLr4Xn --reason "as agreed"`,
    arguments: { campaign: CAMPAIGN },
    options: { reason: REASON, dryRun: DRY_RUN },
    ...(step === "end" && { confirm: ({ campaign }: { campaign: string }) => `${campaign} ends for ever.` }),
    async run(deps, { campaign: id, reason, by, dryRun }) {
      const { name } = await named(deps.db, id);
      const outcome = await carry(deps, calls[step], { id, fields: { reason }, by, dryRun }, async (trx) => {
        await moveCampaign(trx, id, step, reason);
        return {};
      });
      return sayOutcome(deps, outcome, { done: () => `"${name}" ${done}`, would: `${would} "${name}"` });
    },
  });
}

export const campaignCommands: readonly Command[] = [
  list,
  show,
  add,
  change,
  start,
  stepCommand("pause", {
    about: "pause a campaign: it grants nothing from then on",
    done: "is paused. What was granted may still be claimed.",
    would: "pause",
  }),
  stepCommand("resume", { about: "let a paused campaign grant again", done: "runs again.", would: "resume" }),
  stepCommand("end", {
    about: "end a campaign for ever; what was granted may still be claimed",
    done: "has ended.",
    would: "end",
  }),
];

async function named(db: Kysely<unknown>, id: string): Promise<CampaignSums> {
  const campaign = await campaignSums(db.withTables<PromotionsTables>(), id);
  if (campaign === undefined) throw new CommandRefused(printableLine(`There is no campaign ${id}.`));
  return campaign;
}

type Carried = {
  readonly id: string | undefined;
  readonly fields: object;
  readonly by: string;
  readonly dryRun: boolean;
};

/** Does an act as the console does; without a sign-in what it does at once. */
async function carry(
  deps: ActingDeps,
  call: StaffCallName,
  { id, fields, by, dryRun }: Carried,
  work: (trx: Transaction<unknown>) => Promise<object>,
): Promise<ActOutcome<Record<string, unknown>>> {
  const { caller } = deps.acting;
  if (caller !== null)
    return await actAtDesk(deps, caller, call, { params: id === undefined ? {} : { id }, fields, dryRun });
  const result = (await asStaff(deps, by, work, dryRun)) as Record<string, unknown>;
  return dryRun ? { is: "dryRun", result, needsApproval: false } : { is: "done", result, repeated: false };
}
