import { writeAmount } from "../../amount.ts";
import type { Command } from "../../command.ts";
import { namedWallet } from "../../named-player.ts";

/** What a player has, and where. */
export const walletsBalance: Command = {
  words: "wallets balance",
  about: "show what is in a wallet, on a machine and being checked",
  more: "  longarm wallets balance deniz.aydin",
  places: [{ name: "username", about: "of the player" }],
  options: {},
  prepare(given) {
    const username = String(given.get("username"));
    return async ({ db, say }) => {
      const { player, balance } = await namedWallet(db, username);
      const { onMachine, pending } = balance;
      const more = [
        ...(onMachine === undefined ? [] : [`${writeAmount(onMachine)} on a machine`]),
        ...(pending === undefined ? [] : [`${writeAmount(pending)} being checked`]),
      ];
      say([`${player.username}: ${writeAmount(balance.balance)} in the wallet`, ...more].join(", "));
      return { player: player.id, ...balance };
    };
  },
};
