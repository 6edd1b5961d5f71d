import type { Script, ScriptedCall } from "./answers.ts";
import { ok } from "./answers.ts";

export type Given = Readonly<Record<string, unknown>>;

const MACHINES = ["Nar 07", "Kuzey 02", "Mercan 04", "Pera 06"];
/** By action code, from 1; the others come from their machine. */
const SOURCES = ["Cage", "Wallet", "Wallet", undefined, "Cage", undefined];
const HOUR_MS = 3_600_000;

/** Transactions of all six codes, newest first, each an hour older than the one before; six of them leave the balance as it was. */
export function scriptedTransactions(count: number, newestMs: number): Given[] {
  const amounts = [250_000, -300_000, -1_384_065, 482_050, 110_800, 841_215];
  let balance = 1_245_075;
  return Array.from({ length: count }, (_, index) => {
    const type = (index % 6) + 1;
    const amount = amounts[index % 6] ?? 0;
    const row = {
      id: `t_${count - index}`,
      operation_date: new Date(newestMs - index * HOUR_MS).toISOString(),
      type,
      from: SOURCES[index % 6] ?? MACHINES[index % 4],
      machine: type < 3 ? null : MACHINES[index % 4],
      amount,
      balance,
    };
    balance -= amount;
    return row;
  });
}

/** Sessions, newest first, one every three hours. */
export function scriptedSessions(count: number, newestMs: number): Given[] {
  return Array.from({ length: count }, (_, index) => {
    const startMs = newestMs - index * 3 * HOUR_MS;
    const duration = 60 * (20 + (index % 50)) + 18;
    return {
      id: `s_${count - index}`,
      machine: MACHINES[index % 4],
      machineId: `m_${(index % 4) + 1}`,
      start: new Date(startMs).toISOString(),
      end: index === 0 ? null : new Date(startMs + duration * 1_000).toISOString(),
      duration,
      spin_count: 100 + index,
      free_spin_count: index % 3,
      amount: index % 2 === 0 ? -17_950 : 110_800,
    };
  });
}

/** Answers as a platform does that only knows pages: no cursor. */
export function pagesOf(rows: readonly Given[]): Script {
  return ({ query }) => {
    const found = filtered(rows, query);
    const [page, limit] = [Number(query.get("page")), Number(query.get("limit"))];
    return ok({ rows: found.slice((page - 1) * limit, page * limit), total: found.length });
  };
}

/** Answers as ours does: by a cursor. */
export function cursorsOf(rows: readonly Given[]): Script {
  return ({ query }) => {
    const found = filtered(rows, query);
    const from = Number(query.get("after")?.replace("c", "") ?? 0);
    const to = from + Number(query.get("limit"));
    return ok({ rows: found.slice(from, to), total: found.length, next: to < found.length ? `c${to}` : null });
  };
}

function filtered(rows: readonly Given[], query: ScriptedCall["query"]): readonly Given[] {
  const [search, type, from, to] = ["search", "type", "from", "to"].map((name) => query.get(name));
  return rows.filter((row) => {
    const words = `${row["machine"]} ${row["from"]}`.toLowerCase();
    const ms = Date.parse(String(row["operation_date"] ?? row["start"]));
    if (search && !words.includes(search.toLowerCase())) return false;
    if (type && String(row["type"]) !== type) return false;
    return !((from && ms < Date.parse(from)) || (to && ms >= Date.parse(to)));
  });
}
