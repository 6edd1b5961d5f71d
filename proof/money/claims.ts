import type { World } from "./world.ts";

/** A difference between what a machine moved and what was booked of it, written down for a person. Minor units. */
export type Claim = { readonly transferId: string; readonly booked: number; readonly moved: number };

/**
 * The machines that have lost the record of a transfer while it was open, so that a person must explain them, and what is claimed of them. Only a
 * machine of which a record was really lost can be one: any other difference is a breach.
 */
export async function unaccountable(world: World): Promise<Map<string, readonly Claim[]>> {
  const lostOf = new Map(world.cabinets.flatMap(({ id, sas }) => (sas?.lost.size ? [[id, sas.lost]] : [])));
  const claims = new Map<string, Claim[]>();
  if (lostOf.size === 0) return claims;
  const rows = await world.gate.read<Claim & { machine: string }>(
    `select machine_id as machine, about ->> 'transferId' as "transferId", ledger_amount as booked, machine_amount as moved
     from discrepancy where kind = 'claim' and machine_id = any($1)`,
    [[...lostOf.keys()]],
  );
  for (const { machine, ...claim } of rows) claims.set(machine, [...(claims.get(machine) ?? []), claim]);
  for (const [machine, all] of claims)
    if (!all.some(({ transferId }) => lostOf.get(machine)?.has(transferId))) claims.delete(machine);
  return claims;
}

/** What a transfer moved beyond what was booked of it, as it was claimed. */
export const unaccounted = (claims: readonly Claim[], id: string): number =>
  claims.filter(({ transferId }) => transferId === id).reduce((sum, { booked, moved }) => sum + moved - booked, 0);
