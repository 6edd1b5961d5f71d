import { machineExists } from "../../modules/play/machines.ts";
import type { MarketTables } from "../../modules/protection/markets/index.ts";
import {
  chooseMarket,
  MARKET_IDS,
  MARKETS,
  marketChoices,
  RULE_NAMES,
} from "../../modules/protection/markets/index.ts";
import type { Command, CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, DRY_RUN, oneOf, option, plainText, requiredReason } from "../fields.ts";
import { printableLine, sayTable, timeText } from "../output.ts";
import { asStaff, namedPlayer } from "../staff.ts";

const show = command({
  name: "markets show",
  about: "show whose rules hold: the venue's market, and players and machines with one of their own",
  more: "  longarm markets show",
  async run({ db, say }) {
    const choices = await marketChoices(db.withTables<MarketTables>());
    sayTable(say, choices, ({ scope, subject, market, by, reason, at }) => [
      scope === "venue" ? "venue" : `${scope} ${subject}`,
      market === null ? "" : `${market} (${MARKETS[market].name})`,
      `${timeText(at)} by ${by}: ${reason}`,
    ]);
    if (choices.length === 0) say("No market was chosen: no rules of a regulator hold.");
    return { choices };
  },
});

const rules = command({
  name: "markets rules",
  about: "list the rules of a market, each with its clause and the date of the text",
  more: "  longarm markets rules gb",
  arguments: { market: argument("one of the markets", oneOf(MARKET_IDS)) },
  async run({ say }, { market }) {
    const { name, rules: all } = MARKETS[market];
    say(`${market}: ${name}`);
    sayTable(say, RULE_NAMES, (rule) => {
      const { value, source } = all[rule];
      const from = source === null ? "ours" : `${source.clause}, ${source.version}, ${SEEN[source.seen]}`;
      return [rule, printableLine(JSON.stringify(value)), from];
    });
    return { market, rules: all };
  },
});
const SEEN = { text: "read", summary: "read in a summary", unchecked: "not checked: ask an adviser" } as const;

const choose = actCommand({
  name: "markets choose",
  needs: "settings.change",
  about: "choose the market whose rules hold for the venue, a player or a machine; of all the strictest holds",
  more: [
    '  longarm markets choose gb --reason "licence of 2026"',
    '  longarm markets choose de --player deniz.aydin --reason "lives in Berlin"',
    '  longarm markets choose none --machine nar-01 --reason "as the venue"',
    "",
    "A player or a machine whose market is none follows the venue. Play that runs follows within a third of the seat's lease (SEAT_LEASE_MS).",
  ].join("\n"),
  arguments: { market: argument("one of the markets", oneOf(MARKET_IDS)) },
  options: {
    player: option("<username>", "for this player alone", plainText),
    machine: option("<id>", "for this machine alone", plainText),
    reason: requiredReason("why"),
    dryRun: DRY_RUN,
  },
  check({ player, machine }) {
    if (player !== undefined && machine !== undefined) throw new UsageProblem("Name a player or a machine, not both.");
  },
  async run(deps, { market, player, machine, reason, by, dryRun }) {
    const whose = await subjectOf(deps, player, machine);
    const to = market === "none" && whose.scope !== "venue" ? null : market;
    const line = printableLine(`${whose.name}: ${to ?? "the venue's market"}`);
    if (dryRun) deps.say(`Would choose for ${line}. Nothing was changed.`);
    else {
      const { scope, subject } = whose;
      await asStaff(deps, by, (trx) =>
        chooseMarket(trx.withTables<MarketTables>(), { scope, subject, market: to, by, reason }),
      );
      deps.say(`Chosen for ${line}.`);
    }
    return { scope: whose.scope, subject: whose.subject, market: to, dryRun };
  },
});

type Whose = { readonly scope: "venue" | "player" | "machine"; readonly subject: string; readonly name: string };

/** @throws CommandRefused: there is no such player or machine. */
async function subjectOf(
  { db }: Pick<CommandDeps, "db">,
  player: string | undefined,
  machine: string | undefined,
): Promise<Whose> {
  if (player !== undefined) {
    const { id, username } = await namedPlayer(db, player);
    return { scope: "player", subject: id, name: `the player ${username}` };
  }
  if (machine === undefined) return { scope: "venue", subject: "", name: "the venue" };
  if (!(await machineExists(db, machine))) throw new CommandRefused(`There is no machine ${printableLine(machine)}.`);
  return { scope: "machine", subject: machine, name: `the machine ${machine}` };
}

export const marketCommands: readonly Command[] = [show, rules, choose];
