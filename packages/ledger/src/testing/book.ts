import { isDeepStrictEqual } from "node:util";
import type { AccountAddress } from "../rules/address.ts";
import { isGuarded } from "../rules/address.ts";
import type { About, CorrectCommand, HoldCommand, PostCommand, TransferCommand } from "../rules/commands.ts";
import type { LedgerProblemName, Refused } from "../rules/outcome.ts";
import { refuse } from "../rules/outcome.ts";

/**
 * The rules of the ledger without a database: what each command does to a set of accounts. It is the model that the
 * PostgreSQL store is tested against, and the shortest way to read what the rules are.
 */
export type Book = {
  transfer(command: TransferCommand): Verdict;
  hold(command: HoldCommand): Verdict;
  post(command: PostCommand): Verdict;
  void(holdId: string): Verdict;
  correct(command: CorrectCommand): Verdict;
  account(address: AccountAddress): { balanceMinor: number; heldMinor: number };
  addresses(): AccountAddress[];
};

export type Verdict = { readonly is: "done"; readonly replayed: boolean } | Refused;

type Entry = {
  readonly kind: string;
  readonly from: AccountAddress;
  readonly to: AccountAddress;
  readonly amountMinor: number;
  readonly about: About;
};
type Moved = Entry & { readonly id: string; readonly holdId?: string; readonly corrects?: string };
type Held = Entry & { status: "open" | "posted" | "void" };
type Pages = {
  readonly transfers: Map<string, Moved>;
  readonly holds: Map<string, Held>;
  readonly balances: Map<AccountAddress, number>;
};

/** An empty book. Commands are taken as well-formed: the schemas stand before it. */
export function createBook(): Book {
  const pages: Pages = { transfers: new Map(), holds: new Map(), balances: new Map() };
  return {
    transfer: (command) => transfer(pages, command),
    hold: (command) => hold(pages, command),
    post: (command) => post(pages, command),
    void: (holdId) => voidHold(pages, holdId),
    correct: (command) => correct(pages, command),
    account: (address) => ({ balanceMinor: balanceOf(pages, address), heldMinor: heldOf(pages, address) }),
    addresses: () => [...pages.balances.keys()],
  };
}

const done: Verdict = { is: "done", replayed: false };
const replayed: Verdict = { is: "done", replayed: true };

function entryOf({ kind, from, to, amountMinor, about = {} }: TransferCommand | Entry): Entry {
  return { kind, from, to, amountMinor, about };
}

const balanceOf = ({ balances }: Pages, address: AccountAddress) => balances.get(address) ?? 0;

function heldOf({ holds }: Pages, address: AccountAddress): number {
  const open = [...holds.values()].filter(({ status, from }) => status === "open" && from === address);
  return open.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

function canGive(pages: Pages, address: AccountAddress, amountMinor: number): boolean {
  return !isGuarded(address) || balanceOf(pages, address) - heldOf(pages, address) >= amountMinor;
}

function move(pages: Pages, moved: Moved): Verdict {
  pages.transfers.set(moved.id, moved);
  pages.balances.set(moved.from, balanceOf(pages, moved.from) - moved.amountMinor);
  pages.balances.set(moved.to, balanceOf(pages, moved.to) + moved.amountMinor);
  return done;
}

function transfer(pages: Pages, command: TransferCommand): Verdict {
  const wanted = entryOf(command);
  const earlier = pages.transfers.get(command.id);
  const isOwn = earlier && earlier.holdId === undefined && earlier.corrects === undefined;
  if (isOwn && isDeepStrictEqual(entryOf(earlier), wanted)) return replayed;
  if (earlier || pages.holds.has(command.id)) return refuse("transfer.id_conflict");
  if (!canGive(pages, command.from, command.amountMinor)) return refuse("wallet.insufficient_funds");
  return move(pages, { ...wanted, id: command.id });
}

function hold(pages: Pages, command: HoldCommand): Verdict {
  const wanted = entryOf(command);
  const earlier = pages.holds.get(command.id);
  if (earlier && isDeepStrictEqual(entryOf(earlier), wanted)) return replayed;
  if (earlier || pages.transfers.has(command.id)) return refuse("transfer.id_conflict");
  if (!canGive(pages, command.from, command.amountMinor)) return refuse("wallet.insufficient_funds");
  pages.holds.set(command.id, { ...wanted, status: "open" });
  return done;
}

function post(pages: Pages, { holdId, amountMinor, id = holdId, about = {} }: PostCommand): Verdict {
  const held = pages.holds.get(holdId);
  if (!held) return refuse("hold.unknown");
  if (held.status === "void") return refuse("hold.already_void");
  const wanted: Moved = { ...entryOf(held), id, holdId, amountMinor, about: { ...held.about, ...about } };
  if (held.status === "posted") {
    return isDeepStrictEqual(pages.transfers.get(id), wanted) ? replayed : refuse("hold.already_posted");
  }
  const refusal = refusalOfPost(pages, held, wanted);
  if (refusal) return refuse(refusal);
  held.status = "posted";
  return move(pages, wanted);
}

function refusalOfPost(pages: Pages, held: Held, wanted: Moved): LedgerProblemName | undefined {
  if (wanted.amountMinor > held.amountMinor) return "hold.amount_exceeded";
  const isTaken = pages.transfers.has(wanted.id) || (wanted.id !== wanted.holdId && pages.holds.has(wanted.id));
  return isTaken ? "transfer.id_conflict" : undefined;
}

function voidHold(pages: Pages, holdId: string): Verdict {
  const held = pages.holds.get(holdId);
  if (!held) return refuse("hold.unknown");
  if (held.status === "posted") return refuse("hold.already_posted");
  if (held.status === "void") return replayed;
  held.status = "void";
  return done;
}

function correct(pages: Pages, command: CorrectCommand): Verdict {
  const { id, transferId, amountMinor, reason, actor, about = {} } = command;
  const told = { ...about, correctionOf: transferId, reason, actor };
  const earlier = pages.transfers.get(id);
  const isSame = earlier?.corrects === transferId && isDeepStrictEqual(earlier.about, told);
  if (isSame && (amountMinor ?? earlier.amountMinor) === earlier.amountMinor) return replayed;
  if (earlier || pages.holds.has(id)) return refuse("transfer.id_conflict");
  const wrong = pages.transfers.get(transferId);
  if (!wrong) return refuse("transfer.unknown");
  const rest = restOf(pages, wrong);
  const amount = amountMinor ?? rest;
  if (rest === 0 || amount > rest) return refuse("transfer.corrected");
  if (!canGive(pages, wrong.to, amount)) return refuse("wallet.insufficient_funds");
  const back = { kind: "correction", from: wrong.to, to: wrong.from, amountMinor: amount, about: told };
  return move(pages, { ...back, id, corrects: transferId });
}

/** What earlier corrections have left of a transfer. */
function restOf({ transfers }: Pages, wrong: Moved): number {
  const corrections = [...transfers.values()].filter(({ corrects }) => corrects === wrong.id);
  return corrections.reduce((left, { amountMinor }) => left - amountMinor, wrong.amountMinor);
}
