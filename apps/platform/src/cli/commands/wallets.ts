import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Player } from "../../modules/players/accounts/index.ts";
import { checkMayMove, moveMoney, walletTransferId } from "../../modules/staff/desk/index.ts";
import type { StaffCaller } from "../../modules/staff/sign-in/index.ts";
import { newId } from "../../random.ts";
import type { ActingDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { AMOUNT_ABOUT, amount, argument, DRY_RUN, option, requiredReason, USERNAME } from "../fields.ts";
import { printableLine, writeAmount } from "../output.ts";
import { asStaff, checkOurWallet, ledgerActorOf, namedPlayer, namedWallet, notifyPlatform } from "../staff.ts";

export const walletsBalance = command({
  name: "wallets balance",
  about: "show what is in a wallet, on a machine and being checked",
  more: "  longarm wallets balance deniz.aydin",
  arguments: { username: USERNAME },
  async run({ db, say }, { username }) {
    const { player, balance } = await namedWallet(db, username);
    const { onMachine, pending } = balance;
    const amounts = [`${player.username}: ${writeAmount(balance.balance)} in the wallet`];
    if (onMachine !== undefined) amounts.push(`${writeAmount(onMachine)} on a machine`);
    if (pending !== undefined) amounts.push(`${writeAmount(pending)} being checked`);
    say(amounts.join(", "));
    return { player: player.id, ...balance };
  },
});

/** Leaves room for our own prefix in the ledger's 64 characters. */
const ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,55}$/;

const MOVE = {
  arguments: { username: USERNAME, amount: argument(AMOUNT_ABOUT, amount) },
  options: {
    reason: requiredReason("why"),
    id: option("<id>", "your own number of it, such as a receipt's: the same id never pays twice", (text) => {
      if (ID_SHAPE.test(text)) return text;
      throw new UsageProblem("--id must be 1 to 56 letters, digits and _ . : -, and begin with a letter or digit.");
    }),
    dryRun: DRY_RUN,
  },
};

export const walletsDeposit = actCommand({
  name: "wallets deposit",
  needs: "wallet.move",
  about: "put money from the cage into a player's wallet",
  more: [
    '  longarm wallets deposit deniz.aydin 250.00 --reason "cash desk 2" --id receipt-10442',
    "",
    "Give --id so that you can repeat the command: the same id moves money once, even if the first answer was lost. A banned or",
    "excluded player gets no deposit.",
  ].join("\n"),
  ...MOVE,
  run: (deps, input) => moveByCommand(deps, "deposit", input),
});

export const walletsWithdraw = actCommand({
  name: "wallets withdraw",
  needs: "wallet.move",
  about: "pay money out of a player's wallet to the cage",
  more: [
    '  longarm wallets withdraw deniz.aydin 100.00 --reason "paid in cash" --id receipt-10443 --yes',
    "",
    "It pays what is available in the wallet; credits on a machine must return first (longarm sessions end). Banned and excluded players",
    "may withdraw.",
  ].join("\n"),
  ...MOVE,
  confirm: ({ username, amount: amountMinor }) => `${writeAmount(amountMinor)} leaves the wallet of ${username}.`,
  run: (deps, input) => moveByCommand(deps, "withdraw", input),
});

type Kind = "deposit" | "withdraw";
type MoveInput = {
  readonly username: string;
  readonly amount: number;
  readonly reason: string;
  readonly id: string | undefined;
  readonly by: string;
  readonly dryRun: boolean;
};

async function moveByCommand(deps: ActingDeps, kind: Kind, input: MoveInput): Promise<object> {
  const player = await namedPlayer(deps.db, input.username);
  if (deps.acting.caller !== null) return await moveAtDesk(deps, deps.acting.caller, { kind, player, input });
  const id = input.id ?? newId(deps.random, "w");
  checkOurWallet(deps);
  await checkMayMove(deps.db, { kind, playerId: player.id, amountMinor: input.amount, id });
  const what = `${writeAmount(input.amount)} ${kind === "deposit" ? "into" : "out of"} the wallet of ${player.username} (${player.id})`;
  const result = { player: player.id, kind, amount: input.amount };
  if (input.dryRun) {
    const balance = await checkMove(openLedger(deps.db), kind, player, input, id);
    deps.say(printableLine(`Would move ${what}. Nothing was changed.`));
    return { dryRun: true, ...result, balance };
  }
  const { by, reason, amount: amountMinor } = input;
  const move = { kind, id, playerId: player.id, amountMinor, actor: ledgerActorOf(by), reason };
  const done = await asStaff(deps, by, (transaction) => moveMoney(transaction, openLedger(transaction), move));
  const { before, after: balance } = done;
  const outcome = done.replayed ? "Was moved before under this id, and nothing moved now" : "Moved";
  deps.say(printableLine(`${outcome}: ${what}, from ${writeAmount(before)} to ${writeAmount(balance)}, id ${id}.`));
  await notifyPlatform(deps, { kind: "player", body: { playerId: player.id }, by });
  return { id, transfer: walletTransferId(id), ...result, before, balance, replayed: done.replayed };
}

/** A cashier's move: in the open shift, with a receipt, within the limit of the role or with a second person. */
async function moveAtDesk(
  deps: ActingDeps,
  caller: StaffCaller,
  { kind, player, input }: { readonly kind: Kind; readonly player: Player; readonly input: MoveInput },
): Promise<object> {
  const { amount: amountMinor, reason, id, dryRun } = input;
  const outcome = await actAtDesk(deps, caller, kind, {
    params: { id: player.id },
    fields: { amount: amountMinor, reason, ...(id !== undefined && { receipt: id }) },
    dryRun,
    ...(id !== undefined && { id: `${kind}:${id}`.slice(0, 64) }),
  });
  const what = `${writeAmount(amountMinor)} ${kind === "deposit" ? "into" : "out of"} the wallet of ${player.username} (${player.id})`;
  const done = ({ before, after }: Record<string, unknown>) =>
    `Moved: ${what}, from ${writeAmount(Number(before))} to ${writeAmount(Number(after))}.`;
  return sayOutcome(deps, outcome, { done, would: `move ${what}` });
}

/** What the ledger would refuse. @returns the balance now. @throws CommandRefused. */
async function checkMove(ledger: Ledger, kind: Kind, player: Player, input: MoveInput, id: string): Promise<number> {
  const known = await ledger.findTransfer(walletTransferId(id));
  if (known) throw new CommandRefused(`The id ${id} was used before, on ${known.createdAt.toISOString()}.`);
  const { availableMinor, balanceMinor } = await ledger.account(playerAccount(player.id));
  if (kind === "withdraw" && availableMinor < input.amount)
    throw new CommandRefused(`The wallet has ${writeAmount(availableMinor)} free, less than that.`);
  return balanceMinor;
}
