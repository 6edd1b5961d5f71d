import type { Ledger } from "../ledger.ts";
import { CorrectCommand, HoldCommand, PostCommand, parseCommand, TransferCommand } from "../rules/commands.ts";
import type { Book } from "./book.ts";
import type { Driven } from "./scenario.ts";

/** Plays scenarios on the ledger itself. */
export function driveStore(ledger: Ledger): Driven {
  return {
    transfer: ledger.transfer,
    hold: ledger.hold,
    post: ({ holdId, ...command }) => ledger.post(holdId, command),
    void: (holdId) => ledger.void(holdId, "not needed"),
    correct: ledger.correct,
    account: ledger.account,
  };
}

/** Plays scenarios on the pure book, behind the same schemas as the store. */
export function driveBook(book: Book): Driven {
  return {
    transfer(command) {
      const read = parseCommand(TransferCommand, command);
      return read.is === "refused" ? read : book.transfer(read.command);
    },
    hold(command) {
      const read = parseCommand(HoldCommand, command);
      return read.is === "refused" ? read : book.hold(read.command);
    },
    post(command) {
      const read = parseCommand(PostCommand, command);
      return read.is === "refused" ? read : book.post(command);
    },
    void: book.void,
    correct(command) {
      const read = parseCommand(CorrectCommand, command);
      return read.is === "refused" ? read : book.correct(command);
    },
    account: book.account,
  };
}
