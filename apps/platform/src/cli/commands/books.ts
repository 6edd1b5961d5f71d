import { openLedger } from "@longarm/ledger/ledger";
import type { DifferenceRow, Explained, GameRow, GamesOf } from "../../modules/play/books/index.ts";
import { explainDifference, listDifferences, listGames, listOpenTransfers } from "../../modules/play/books/index.ts";
import type { PlayTables } from "../../modules/play/tables.ts";
import { openAudit } from "../../modules/records/audit/index.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import {
  amount,
  argument,
  DRY_RUN,
  flag,
  oneOf,
  option,
  plainText,
  requiredReason,
  rowLimit,
  rowNumber,
} from "../fields.ts";
import { count, sayRows, sayTable, timeText, writeAmount } from "../output.ts";
import { actorOf, asStaff, namedPlayer, notifyPlatform, SOURCE } from "../staff.ts";

export const transfersOpen = command({
  name: "transfers open",
  about: "list transfers whose outcome is not known yet, with age, owner node and the machine's last answer",
  more: [
    "  longarm transfers open",
    "",
    "Nothing needs to be done by hand: the node named as owner requests the outcome from the agent until it has it. A transfer never expires. One",
    "that is older than TRANSFER_ALARM_MS also calls for staff: see why the machine or its agent does not answer.",
  ].join("\n"),
  async run({ db, say }) {
    const transfers = await listOpenTransfers(db);
    const head = ["transfer", "machine", "player", "way", "amount", "state", "age", "owner", "asked", "answer"];
    const columnsOf = (row: (typeof transfers)[number]): string[] => [
      row.id,
      row.machineId,
      row.player ?? "",
      row.direction === "cashIn" ? "cash-in" : "cash-out",
      row.asked === null ? "all" : writeAmount(row.asked),
      row.state,
      `${row.ageS} s`,
      row.owner,
      String(row.askedTimes),
      row.lastAnswer ?? "",
    ];
    sayTable(say, transfers, columnsOf, head);
    say(`${count(transfers.length, "transfer")} with an open outcome.`);
    return { transfers };
  },
});

export const suspenseList = command({
  name: "suspense list",
  about: "list discrepancies between machines and ledger that a person must explain, and the money in suspense",
  more: [
    "  longarm suspense list --all",
    "",
    "settle, late: a machine was empty and its account in the ledger was not; the money of the account is now in suspense, or suspense covered what",
    "was missing. claim: a machine reported moving more than it can have, or lost its record of a transfer. meters: its running meters do not agree",
    "with what was booked. games: games are missing, or do not add up. While a discrepancy is open, the machine accepts no new player and no cash-in.",
  ].join("\n"),
  options: {
    all: flag("also those that are explained"),
    limit: rowLimit({ max: 10_000, usual: 100, order: ", newest first" }),
  },
  async run({ db, say }, { all, limit }) {
    const differences = await listDifferences(db, { open: !all, limit: limit.query - 1 });
    const { balanceMinor } = await openLedger(db).account("suspense");
    sayTable(say, differences, differenceColumns, DIFFERENCE_HEAD);
    const open = differences.filter(({ explainedAt }) => explainedAt === null).length;
    say(`${count(open, "difference")} to explain; ${writeAmount(balanceMinor)} in suspense.`);
    return { suspense: balanceMinor, differences };
  },
});

const DIFFERENCE_HEAD = [
  "number",
  "found",
  "machine",
  "kind",
  "player",
  "ledger",
  "machine says",
  "in suspense",
  "owner",
  "about",
];

function differenceColumns(row: DifferenceRow): string[] {
  const about =
    row.explainedAt === null
      ? JSON.stringify(row.about)
      : `${row.explanation} (${row.explainedBy}, ${timeText(row.explainedAt)})`;
  return [
    String(row.id),
    timeText(row.foundAt),
    row.machineId,
    row.kind,
    row.player ?? "",
    writeAmount(row.ledgerMinor),
    writeAmount(row.machineMinor),
    writeAmount(row.inSuspenseMinor),
    row.owner ?? "",
    about,
  ];
}

export const suspenseExplain = actCommand({
  name: "suspense explain",
  needs: "discrepancy.explain",
  about: "explain a discrepancy: its money leaves suspense, and the machine may be played again",
  more: [
    '  longarm suspense explain 12 --to player --reason "the machine counted the win, its journal had lost the game"',
    '  longarm suspense explain 13 --reason "test credits of the technician, taken off again"',
    "",
    "--to names the owner of the money in suspense, or who covers what suspense gave: the player of that play session, or the operator (house).",
    "--pay is for a claim that was right: the operator pays the player that amount. Both are transfers that carry the reason.",
  ].join("\n"),
  arguments: { number: argument("of the discrepancy, as longarm suspense list prints it", rowNumber) },
  options: {
    reason: requiredReason("what happened"),
    to: option(
      "player|house",
      "the owner of its money in suspense, or who covers what suspense gave",
      oneOf(["player", "house"]),
    ),
    pay: option("<amount>", "also pay the player this amount from the house account", amount),
    dryRun: DRY_RUN,
  },
  confirm: ({ number }) => `The difference ${number} is explained for ever.`,
  async run(deps, { number: id, reason, to = null, pay: payMinor = null, by, dryRun }) {
    if (deps.acting.caller !== null) {
      if (payMinor !== null) throw new CommandRefused("--pay works with --as-root alone: the console has no such act.");
      const sent = { params: { number: String(id) }, fields: { owner: OWNER_WORDS[to ?? "none"], reason }, dryRun };
      const outcome = await actAtDesk(deps, deps.acting.caller, "explainDiscrepancy", sent);
      const would = `explain the discrepancy ${id}`;
      return sayOutcome(deps, outcome, { done: () => `The discrepancy ${id} is explained.`, would });
    }
    const done = await asStaff(
      deps,
      by,
      async (transaction): Promise<Extract<Explained, { is: "done" }>> => {
        const trx = transaction.withTables<PlayTables>();
        const order = { id, reason, to, payMinor, by };
        const explained = await explainDifference({ ledger: openLedger(transaction), trx }, order);
        if (explained.is === "refused") throw new CommandRefused(explained.sentence);
        await openAudit(transaction, SOURCE).write({
          type: "staff.did",
          actor: actorOf(by),
          subject: `machine:${explained.machineId}`,
          facts: { did: "explained a difference", difference: id, reason, to, payMinor },
        });
        return explained;
      },
      dryRun,
    );
    if (dryRun) {
      const sentence = `Would be done, nothing was changed: ${done.sentence}`;
      deps.say(sentence);
      return { dryRun, sentence };
    }
    deps.say(done.sentence);
    await notifyPlatform(deps, { kind: "carryOut", machineId: done.machineId, body: {}, by });
    if (done.playerId !== null) await notifyPlatform(deps, { kind: "player", body: { playerId: done.playerId }, by });
    return { difference: id, sentence: done.sentence };
  },
});

/** Who owns the money in suspense, in the words of the console. */
const OWNER_WORDS = { player: "player", house: "platform", none: "none" } as const;

export const games = command({
  name: "games",
  about: "list games one by one, newest first: credit before, bet, win, credit after, free spins, times",
  more: ["  longarm games --player deniz.aydin --limit 200", "  longarm games --machine nar-01 --json"].join("\n"),
  options: {
    session: option("<id>", "of this play session", plainText),
    player: option("<username>", "of this player", plainText),
    machine: option("<id>", "of this machine", plainText),
    limit: rowLimit({ max: 10_000, usual: 50 }),
  },
  check: (input) => void gamesOf(input),
  async run({ db, say }, { limit, ...input }) {
    const of = gamesOf(input);
    const id = of.is === "player" ? (await namedPlayer(db, of.id)).id : of.id;
    const found = await listGames(db, { is: of.is, id }, limit.query);
    const { rows, more } = sayRows(say, limit, found, { word: "game", head: GAME_HEAD, columns: gameColumns });
    return { games: rows, more };
  },
});

type GamesInput = Readonly<Record<"session" | "player" | "machine", string | undefined>>;

/** @throws UsageProblem. */
function gamesOf({ session, player, machine }: GamesInput): GamesOf {
  const named = Object.entries({ session, player, machine }) as [GamesOf["is"], string | undefined][];
  const [only, ...others] = named.flatMap(([is, id]) => (id === undefined ? [] : [{ is, id }]));
  if (only === undefined || others.length > 0) throw new UsageProblem("Name one of --session, --player and --machine.");
  return only;
}

const GAME_HEAD = [
  "machine",
  "game",
  "player",
  "began",
  "ended",
  "before",
  "bet",
  "win",
  "by hand",
  "after",
  "free spins",
  "bonus",
];

/** A dash: the machine did not say. */
function bonusText(bonus: boolean | null): string {
  if (bonus === null) return "–";
  return bonus ? "bonus" : "";
}

const gameColumns = (row: GameRow): string[] => [
  row.machineId,
  String(row.gameNumber),
  row.player ?? "",
  timeText(row.startedAt),
  timeText(row.endedAt),
  writeAmount(row.before),
  writeAmount(row.bet),
  writeAmount(row.win),
  writeAmount(row.handPaid),
  writeAmount(row.after),
  String(row.freeSpins ?? "–"),
  bonusText(row.bonus),
];
