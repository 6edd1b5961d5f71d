import type { PlayTables } from "../../play/tables.ts";

/** Tables that histories are read from (`migrations/history`). Nothing of ours writes them: the ledger's postings do. */
export type HistoryTables = Pick<PlayTables, "machine" | "play_session"> & {
  wallet_entry: {
    player_id: string;
    entry_number: number;
    transfer_id: string;
    at: Date;
    /** 1 Deposit, 2 Withdraw, 3 Cash In, 4 Cash Out, 5 Hand Pay, 6 JACKPOT. */
    type: number;
    source: "Wallet" | "Cage" | "Discount" | "Bonus" | "Fee" | "Machine";
    /** Empty: none. */
    machine_id: string;
    /** Minor units, signed. */
    amount: number;
    /** Minor units. */
    balance: number;
  };
};
