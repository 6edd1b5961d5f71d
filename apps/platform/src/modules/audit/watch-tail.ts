import { sql } from "kysely";
import type { Log } from "../../log.ts";
import type { Audit, AuditSource } from "./audit.ts";
import type { Witness } from "./verify.ts";

/**
 * A witness that lives as long as this process: it remembers the newest link, and looks later whether it is still what it was. An end that
 * is cut off, or a chain that is made anew, is found within a minute, by whatever rights it was done.
 */
export function watchTail({ db, audit, log, node }: { db: AuditSource; audit: Audit; log: Log; node: string }) {
  let seen: Witness | undefined;

  async function linkAt(position: number): Promise<Witness | undefined> {
    const { rows } =
      await sql<Witness>`select position, encode(hash, 'hex') as hash from audit.links where position = ${position}`.execute(
        db,
      );
    return rows[0];
  }

  async function newest(): Promise<Witness | undefined> {
    const { rows } = await sql<Witness>`select position, encode(hash, 'hex') as hash from audit.links
      order by audit.links.position desc limit 1`.execute(db);
    return rows[0];
  }

  return async (): Promise<void> => {
    if (seen !== undefined) {
      const now = await linkAt(seen.position);
      if (now?.hash !== seen.hash) {
        const facts = { witness: seen, found: now ?? null };
        log.error(
          { alarm: "audit", ...facts },
          "the audit log is not what it was: its end was cut off, or it was made anew",
        );
        await audit.write({ type: "data.tampered", actor: `node:${node}`, subject: "audit", facts });
      }
    }
    seen = await newest();
  };
}
