import type { Balance } from "@longarm/contract/notification-socket";
import type { DatabasePool } from "@longarm/database/connection";
import type { Kysely } from "kysely";
import { CompiledQuery } from "kysely";

type Row = {
  readonly player_id: string;
  readonly available: number;
  /** Set aside for a cash-in. What is set aside for a withdrawal has left the wallet, as its player sees it. */
  readonly held: number;
  readonly machine_id: string | null;
  /** What the ledger knows to be on that machine. */
  readonly credits: number;
  /** Transfers that are not decided, and what of them leaves the machine. */
  readonly open: number;
  readonly leaving: number;
};

/**
 * One statement is one snapshot, so a player's sums always add up. It has a name: the server plans it once for a connection, which
 * costs more than reading the wallets of a hundred players. Addresses as the ledger writes them.
 */
const WALLETS = {
  name: "wallets",
  text: `select wanted.id as player_id, coalesce(wallet.balance_minor - wallet.held_minor, 0) as available,
      case when wallet.held_minor > 0 then (select coalesce(sum(h.amount_minor), 0)::bigint from ledger.holds h
        where h.from_account = wallet.id and h.status = 'open' and h.kind = 'cashIn') else 0 end as held, seat.machine_id, coalesce(machine.balance_minor, 0) as credits,
      transfers.open, transfers.leaving
    from unnest($1::text[]) as wanted (id)
    left join ledger.accounts wallet on wallet.address = 'player:' || wanted.id
    left join seat on seat.player_id = wanted.id
    left join ledger.accounts machine on machine.address = 'machine:' || seat.machine_id
    cross join lateral (
      select count(*) as open, coalesce(sum(expected) filter (where direction = 'cashOut'), 0)::bigint as leaving
      from machine_transfer t where t.player_id = wanted.id and t.state in ('asking', 'unknown')
    ) transfers`,
};

/**
 * Players' wallets: what can be spent, what is on a machine and what is being checked. The three always add up to what the player may
 * still play. An unknown player has nothing.
 */
export async function balancesOf(
  source: DatabasePool | Kysely<unknown>,
  playerIds: readonly string[],
): Promise<ReadonlyMap<string, Balance>> {
  const { rows } =
    "executeQuery" in source
      ? await source.executeQuery<Row>(CompiledQuery.raw(WALLETS.text, [playerIds]))
      : await source.query<Row>({ ...WALLETS, values: [playerIds] });
  return new Map(rows.map((row) => [row.player_id, balanceIn(row)]));
}

function balanceIn({ available, held, machine_id: machineId, credits, open, leaving }: Row): Balance {
  if (machineId === null && open === 0) return { balance: available };
  const onMachine = Math.max(0, credits - leaving);
  // A machine may have played with credits whose transfer is not booked yet: its account is below zero until then.
  const pending = Math.max(0, held + credits - onMachine);
  return { balance: available, ...(machineId !== null && { onMachine }), ...(open > 0 && { pending }) };
}
