import type { StaffCallName } from "@longarm/contract/staff";
import { staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import { CSRF_HEADER, DIRECTORY_COOKIE_HTTP, STAFF_BASE } from "@longarm/contract/staff-call";
import type { RoleName } from "@longarm/contract/staff-rights";
import { runTransaction } from "@longarm/database/run-transaction";
import type { StaffTables } from "../modules/staff/accounts/index.ts";
import { addPerson, invite } from "../modules/staff/accounts/index.ts";
import { systemRandom } from "../random.ts";
import { softwarePasskey } from "./software-passkey.ts";
import type { TestVenue } from "./test-venue.ts";

/** The console's origin of a staff listener that does not listen. */
export const STAFF_ORIGIN = "http://localhost:0";

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** The console's origin of a venue whose staff listener may listen. */
export function staffOrigin({ platform }: Pick<TestVenue, "platform">): string {
  const address = platform.staff?.app.server.address();
  return typeof address === "object" && address !== null ? `http://localhost:${address.port}` : STAFF_ORIGIN;
}

/** Somebody at a console of a venue's staff listener. */
export function staffClient(venue: Pick<TestVenue, "platform">) {
  const { staff } = venue.platform;
  if (staff === undefined) throw new Error("this venue has no staff listener: set STAFF_PORT");
  const { app } = staff;
  const origin = staffOrigin(venue);
  let cookie = "";
  let attempt = "";
  let csrf = "";

  async function call(
    method: "GET" | "POST",
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const reply = await app.inject({
      method,
      url: STAFF_BASE + path,
      headers: {
        host: new URL(origin).host,
        ...(cookie + attempt !== "" && { cookie: [cookie, attempt].filter((one) => one !== "").join("; ") }),
        ...(method === "POST" && { origin, [CSRF_HEADER]: csrf }),
        ...headers,
      },
      ...(body !== undefined && { payload: body }),
    });
    for (const set of [reply.headers["set-cookie"] ?? []].flat()) {
      const [given = ""] = set.split(";");
      const kept = set.includes("Max-Age=0") ? "" : given;
      if (set.startsWith(DIRECTORY_COOKIE_HTTP)) attempt = kept;
      else if (reply.statusCode === 200) cookie = given;
    }
    return { status: reply.statusCode, body: reply.json() };
  }

  const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    call("POST", path, body, headers);
  const get = (path: string, headers: Record<string, string> = {}) => call("GET", path, undefined, headers);

  return {
    get,
    post,
    get cookie() {
      return cookie;
    },
    set cookie(given: string) {
      cookie = given;
    },
    /** The cookie of a browser that was sent to the directory. */
    get attempt() {
      return attempt;
    },
    set attempt(given: string) {
      attempt = given;
    },
    /** Reads the token that goes with each change. */
    async me() {
      const answer = await get("me");
      csrf = String(answer.body["csrf"] ?? "");
      return answer;
    },
  };
}
export type StaffClient = ReturnType<typeof staffClient>;

type StaffVenue = Pick<TestVenue, "platform"> & {
  readonly db: { readonly kysely: TestVenue["db"]["kysely"] };
};

/** Adds a member of staff who accepts the invitation with a passkey, and is signed in. */
export async function staffMember(venue: StaffVenue, username: string, roles: readonly RoleName[]) {
  const db = venue.db.kysely.withTables<StaffTables>();
  const { id, token } = await runTransaction(db, async (trx) => {
    const added = await addPerson(trx, systemRandom, { username, name: username, roles, addedBy: "test" });
    if (added.is !== "added") throw new Error(`${username}: ${added.is}`);
    return { id: added.id, ...(await invite(trx, systemRandom, added.id)) };
  });
  const client = staffClient(venue);
  const origin = staffOrigin(venue);
  const passkey = softwarePasskey();
  const begun = await client.post("invitation/passkey/begin", { token });
  const { challenge } = begun.body["options"] as { challenge: string };
  const entered = await client.post("invitation/passkey/finish", {
    token,
    ceremony: begun.body["ceremony"],
    label: "key",
    response: passkey.register({ origin, challenge }),
  });
  if (entered.status !== 200) throw new Error(JSON.stringify(entered.body));
  await client.me();

  /** Confirms one call with one body; answers the step-up. */
  async function stepUp(name: string, params: Record<string, string>, body: object): Promise<string> {
    const begun = await client.post("step-up/begin", { call: name, params, body });
    const options = begun.body["options"] as { challenge: string };
    const done = await client.post("step-up/finish", {
      ceremony: begun.body["ceremony"],
      response: passkey.sign({ origin, challenge: options.challenge }),
    });
    return String(done.body["stepUp"]);
  }
  let acts = 0;

  /** Sends one act as the console does, with its step-up where the contract asks for one. */
  async function act<Name extends StaffCallName>(
    name: Name,
    params: Record<string, string>,
    fields: object,
    id?: string,
  ): Promise<Answer> {
    acts += 1;
    const call: StaffCall = staffCalls[name];
    const body = { id: id ?? `act-${username}-${acts}`, ...fields };
    const path = call.path.replaceAll(/\{(\w+)\}/g, (_whole, key: string) => params[key] ?? "");
    if (call.stepUp !== true) return await client.post(path, body);
    return await client.post(path, { ...body, stepUp: await stepUp(name, params, body) });
  }

  return {
    ...client,
    client,
    id,
    token,
    passkey,
    stepUp,
    act,
    recoveryCodes: entered.body["recoveryCodes"] as string[],
  };
}

/** Signs an approval that was requested, as the second person sees it. */
export async function signApproval(by: StaffMember, { body }: { readonly body: Record<string, unknown> }) {
  if (body["is"] !== "waiting") throw new Error(`no approval was requested: ${JSON.stringify(body)}`);
  const id = String(body["approval"]);
  const { hash } = (await by.get(`approvals/${id}`)).body as { hash: string };
  return await by.act("signApproval", { id }, { hash });
}
type StaffMember = Awaited<ReturnType<typeof staffMember>>;
