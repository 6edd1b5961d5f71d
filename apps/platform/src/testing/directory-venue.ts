import { runTransaction } from "@longarm/database/run-transaction";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import type { StaffTables } from "../modules/staff/accounts/index.ts";
import { addPerson, invite } from "../modules/staff/accounts/index.ts";
import { systemRandom } from "../random.ts";
import type { StaffClient } from "./staff-client.ts";
import { STAFF_ORIGIN, staffClient } from "./staff-client.ts";
import type { TestDirectory } from "./test-directory.ts";
import { testDirectory } from "./test-directory.ts";
import type { TestVenue } from "./test-venue.ts";
import { testVenue } from "./test-venue.ts";

/** A venue of the tests of a file whose staff a directory signs in; what a test changed of the directory is over with it. */
export function shareDirectoryVenue() {
  let directory: TestDirectory;
  let venue: TestVenue;
  beforeAll(async () => {
    directory = await testDirectory(() => STAFF_ORIGIN);
    venue = await testVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000", ...directory.env } });
  });
  afterEach(() => {
    directory.fail({});
    directory.person.is = "ayse";
    directory.person.authenticatedAt = undefined;
    vi.useRealTimers();
  });
  afterAll(async () => {
    await venue.close();
    await directory.close();
  });

  const db = () =>
    venue.db.kysely.withTables<
      StaffTables & { "audit.entries": { type: string; subject: string; actor: string; facts: object } }
    >();

  async function invited(username: string): Promise<{ id: string; token: string }> {
    return await runTransaction(db(), async (trx) => {
      const given = { username, name: username, roles: ["attendant"], addedBy: "test" } as const;
      const added = await addPerson(trx, systemRandom, given);
      if (added.is !== "added") throw new Error(added.is);
      return { id: added.id, ...(await invite(trx, systemRandom, added.id)) };
    });
  }

  /** Goes to the directory from this client; answers what comes back. */
  async function sent(client: StaffClient, from = "sign-in", body: object = {}): Promise<string> {
    const begun = await client.post(`${from}/directory/begin`, body);
    expect(begun).toMatchObject({ status: 200 });
    return await directory.signIn(String(begun.body["href"]));
  }
  const finish = (client: StaffClient, answer: string) => client.post("sign-in/directory/finish", { answer });

  async function signIn(client = staffClient(venue), person = "ayse") {
    directory.person.is = person;
    return await finish(client, await sent(client));
  }

  /** A member of staff whom an invitation linked with a person of the directory of the same name. */
  async function linked(username: string) {
    const { id, token } = await invited(username);
    const client = staffClient(venue);
    directory.person.is = username;
    const entered = await finish(client, await sent(client, "invitation", { token }));
    expect(entered).toMatchObject({ status: 200, body: { person: { id }, signIn: { how: "invitation" } } });
    await client.me();
    return { id, token, client };
  }

  return {
    get venue() {
      return venue;
    },
    get directory() {
      return directory;
    },
    db,
    invited,
    sent,
    finish,
    signIn,
    linked,
  };
}
