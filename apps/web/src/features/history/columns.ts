import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import type { Storage, StorageKey } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { ListingKind } from "./row.ts";

/** The ten columns of the specification (section 2.8), in their order. */
const COLUMNS = [
  "machine",
  "operationDate",
  "type",
  "from",
  "start",
  "end",
  "duration",
  "spins",
  "freeSpins",
  "amount",
] as const;
export type Column = (typeof COLUMNS)[number];

export const COLUMN_TEXTS: Readonly<Record<Column, TextKey>> = {
  machine: "history.machine",
  operationDate: "history.operationDate",
  type: "history.type",
  from: "history.from",
  start: "history.start",
  end: "history.end",
  duration: "history.duration",
  spins: "history.spins",
  freeSpins: "history.freeSpins",
  amount: "history.amount",
};

/** Figures are aligned to the end of their column. */
export const FIGURES: ReadonlySet<Column> = new Set(["spins", "freeSpins", "amount"]);

/** What each listing shows until the player chooses (decision D-31), and in which order. */
const DEFAULTS: Readonly<Record<ListingKind, readonly Column[]>> = {
  sessions: ["machine", "start", "end", "duration", "spins", "freeSpins", "amount"],
  transactions: ["operationDate", "type", "from", "machine", "amount"],
};
/** A listing of transactions begins with their date, and names the machine after the rest. */
const ORDERS: Readonly<Record<ListingKind, readonly Column[]>> = {
  sessions: COLUMNS,
  transactions: [
    "operationDate",
    "type",
    "from",
    "machine",
    "start",
    "end",
    "duration",
    "spins",
    "freeSpins",
    "amount",
  ],
};
const KEYS: Readonly<Record<ListingKind, StorageKey>> = {
  sessions: STORAGE_KEYS.sessionColumns,
  transactions: STORAGE_KEYS.transactionColumns,
};

/** The columns that the player sees in a listing, kept between visits. There is always one at least. */
export type ChosenColumns = {
  readonly shown: Live<readonly Column[]>;
  toggle(column: Column): void;
  /** Back to the columns of the first visit. */
  reset(): void;
};

export function columnsInOrder(kind: ListingKind): readonly Column[] {
  return ORDERS[kind];
}

export function createChosenColumns(kind: ListingKind, storage: Storage): ChosenColumns {
  const shown = createStore<readonly Column[]>(() => readColumns(kind, storage.read(KEYS[kind])));
  return {
    shown,
    toggle(column) {
      const now = shown.getState();
      const next = ORDERS[kind].filter((one) => now.includes(one) !== (one === column));
      if (next.length === 0) return;
      shown.setState(next, true);
      storage.write(KEYS[kind], next.join(","));
    },
    reset() {
      shown.setState(DEFAULTS[kind], true);
      storage.remove(KEYS[kind]);
    },
  };
}

function readColumns(kind: ListingKind, kept: string | null): readonly Column[] {
  const names = kept?.split(",") ?? [];
  const known = ORDERS[kind].filter((column) => names.includes(column));
  return known.length === 0 ? DEFAULTS[kind] : known;
}
