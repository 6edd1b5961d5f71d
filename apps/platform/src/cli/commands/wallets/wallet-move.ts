import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Player } from "../../../modules/players/accounts/index.ts";
import type { LimitsTables } from "../../../modules/players/limits/index.ts";
import { limitsOf } from "../../../modules/players/limits/index.ts";
import { newId } from "../../../random.ts";
import { readAmount, writeAmount } from "../../amount.ts";
import { actorOf, asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given, Option } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { timeText } from "../../output/table.ts";
import { printableLine } from "../../printable.ts";
import { readReason } from "../../reading/reason.ts";

const PLACES = [
  { name: "username", about: "of the player" },
  { name: "amount", about: "250.00, or in minor units 25000minor" },
];
const OPTIONS: Readonly<Record<string, Option>> = {
  reason: { type: "string", value: "<text>", about: "why, kept for ever; 1 to 200 characters", needed: true },
  id: {
    type: "string",
    value: "<id>",
    about: "your own number of it, such as a receipt's: the same id never pays twice",
  },
  by: BY,
  "dry-run": DRY_RUN,
};

/** Money comes from the cage into a wallet. */
export const walletsDeposit: Command = {
  words: "wallets deposit",
  about: "put money from the cage into a player's wallet",
  more: [
    '  longarm wallets deposit deniz.aydin 250.00 --reason "cash desk 2" --id receipt-10442',
    "",
    "Say --id when you may have to ask again: the same id moves money once, whatever happened to the first answer. A banned or",
    "excluded player gets no deposit.",
  ].join("\n"),
  places: PLACES,
  options: OPTIONS,
  prepare: (given) => prepare(given, "deposit"),
};

/** Money goes from a wallet to the cage. */
export const walletsWithdraw: Command = {
  words: "wallets withdraw",
  about: "pay money out of a player's wallet to the cage",
  more: [
    '  longarm wallets withdraw deniz.aydin 100.00 --reason "paid in cash" --id receipt-10443 --yes',
    "",
    "Only what is free in the wallet: credits on a machine come home first (longarm sessions end). Banned and excluded players",
    "may withdraw.",
  ].join("\n"),
  places: PLACES,
  options: OPTIONS,
  asks: (given) => `${given.get("amount")} leaves the wallet of ${given.get("username")}.`,
  prepare: (given) => prepare(given, "withdraw"),
};

type Kind = "deposit" | "withdraw";
type Asked = {
  readonly username: string;
  readonly amountMinor: number;
  readonly reason: string;
  readonly id: string | undefined;
  readonly by: string | undefined;
  readonly dryRun: boolean;
};

/** Room for our own prefix in the ledger's 64 characters. */
const ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,55}$/;

function prepare(given: Given, kind: Kind): (deps: CommandDeps) => Promise<unknown> {
  const id = given.get("id")?.toString();
  if (id !== undefined && !ID_SHAPE.test(id))
    throw new UsageProblem("--id must be 1 to 56 letters, digits and _ . : -, and begin with a letter or digit.");
  const reason = readReason(given);
  if (reason === "") throw new UsageProblem("--reason must say something.");
  const asked: Asked = {
    username: String(given.get("username")),
    amountMinor: readAmount("amount", String(given.get("amount"))),
    ...{ reason, id, by: readBy(given), dryRun: given.has("dry-run") },
  };
  return (deps) => move(deps, kind, asked);
}

async function move(deps: CommandDeps, kind: Kind, asked: Asked) {
  const who = whoAsks(deps, asked.by);
  const player = await namedPlayer(deps.db, asked.username);
  if (kind === "deposit") await refuseDeposit(deps, player);
  const ledger = openLedger(deps.db);
  const id = `staff:${asked.id ?? newId(deps.random, "w")}`;
  const what = `${writeAmount(asked.amountMinor)} ${kind === "deposit" ? "into" : "out of"} the wallet of ${player.username} (${player.id})`;
  if (asked.dryRun) return await tryOut(deps, ledger, { kind, player, asked, id, what });
  const wallet = playerAccount(player.id);
  const done = await asStaff(deps, who, (transaction) =>
    openLedger(transaction).transfer({
      ...{ id, kind, amountMinor: asked.amountMinor },
      ...(kind === "deposit" ? { from: "cage", to: wallet } : { from: wallet, to: "cage" }),
      about: { actor: actorOf(who), reason: asked.reason },
    }),
  );
  if (done.is === "refused") throw new CommandRefused(printableLine(`Nothing was moved: ${done.problem.detail}.`));
  const { toBalanceMinor, fromBalanceMinor } = done.transfer;
  const balance = kind === "deposit" ? toBalanceMinor : fromBalanceMinor;
  const before = kind === "deposit" ? balance - asked.amountMinor : balance + asked.amountMinor;
  deps.say(
    printableLine(
      `${done.replayed ? "Was moved before under this id, and nothing moved now" : "Moved"}: ${what}, from ${writeAmount(before)} to ${writeAmount(balance)}, id ${id.slice("staff:".length)}.`,
    ),
  );
  await tell(deps, player.id, who);
  return {
    id: id.slice("staff:".length),
    transfer: id,
    player: player.id,
    kind,
    amount: asked.amountMinor,
    before,
    balance,
    replayed: done.replayed,
  };
}

async function refuseDeposit({ db }: CommandDeps, player: Player): Promise<void> {
  if (player.banned_at !== null) throw new CommandRefused(`${player.username} is banned.`);
  const { exclusion } = await limitsOf(db.withTables<LimitsTables>(), player.id);
  if (exclusion !== null) {
    const until = `${timeText(new Date(exclusion))} UTC`;
    throw new CommandRefused(`${player.username} is excluded from play until ${until}; no deposits before that.`);
  }
}

type Trial = {
  readonly kind: Kind;
  readonly player: Player;
  readonly asked: Asked;
  readonly id: string;
  readonly what: string;
};

async function tryOut(deps: CommandDeps, ledger: Ledger, { kind, player, asked, id, what }: Trial) {
  const [account, known] = [await ledger.account(playerAccount(player.id)), await ledger.findTransfer(id)];
  if (known) throw new CommandRefused(`The id ${asked.id} was used before, on ${known.createdAt.toISOString()}.`);
  if (kind === "withdraw" && account.availableMinor < asked.amountMinor)
    throw new CommandRefused(`The wallet has ${writeAmount(account.availableMinor)} free, less than that.`);
  deps.say(printableLine(`Would move ${what}. Nothing was changed.`));
  return { dryRun: true, player: player.id, kind, amount: asked.amountMinor, balance: account.balanceMinor };
}

/** How long a page may wait for its new balance, ms: where no platform runs nobody looks. */
const TELL_WITHIN_MS = 1_000;

/** The player's page learns of it at once where a platform runs; the money has moved in any case. */
async function tell(deps: CommandDeps, playerId: string, by: string): Promise<void> {
  await haveCarriedOut(
    { ...deps, say: () => {} },
    { kind: "player", body: { playerId }, by, beginWithinMs: TELL_WITHIN_MS },
  ).catch(() => false);
}
