import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STAFF_SOCKET_PATH, staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { EVIDENCE_PATH, STAFF_CLIP_PART_PATH } from "@longarm/contract/staff-disputes";
import { STILL_PATH } from "@longarm/contract/staff-floor";
import { REPORT_FILE_PATH } from "@longarm/contract/staff-reports";
import { ROLE_NAMES } from "@longarm/contract/staff-rights";

import { STAFF_VIDEO_PATH } from "@longarm/contract/staff-video";
import { WALL_PATH, WALL_STILL_PATH } from "@longarm/contract/staff-wall";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSocket } from "../../../testing/open-socket.ts";
import { staffClient, staffMember, staffOrigin } from "../../../testing/staff-client.ts";
import { SILENT_DIRECTORY } from "../../../testing/test-directory.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";

/*
 * The table of rights: which roles each address of the staff's side is for. It repeats by hand what the contract and the roles say together, so
 * that a change of either shows here as what it means for people. `*`: also a step-up.
 */

/** Without a sign-in; also while it is locked; everybody who is signed in. */
const OPEN = `passkeyBegin passkeyFinish passwordSignIn recoverySignIn invitation invitationPasskeyBegin
  invitationPasskeyFinish invitationPasswordBegin invitationPasswordFinish enterWall
  signInWays directoryBegin directoryFinish invitationDirectoryBegin`;
const LOCKED = `me signOut lock unlockPasskeyBegin unlockPasskeyFinish unlockPassword
  unlockDirectoryBegin unlockDirectoryFinish`;
const OWN = `active mySignIns endMySignIn myPasskeys addPasskeyBegin addPasskeyFinish removePasskey* renewRecoveryCodes*
  stepUpBegin stepUpFinish approvals approval signApproval* refuseApproval withdrawApproval notices readNotices pushDevices
  addPushDevice removePushDevice views keepView removeView lookDevice
  confirmDevice* refuseDevice unlinkMyDirectory*`;

/** By the roles that may call them. A = attendant, C = cashier, S = supervisor, T = technician, U = auditor, M = administrator. */
const BY_ROLES = {
  ACSTUM: `tasks closeTask taskTimes pulse floor machine machineEvents machineGames machineQueue stops players machines machineLife
    ${STILL_PATH}`,
  "ACST.M": "stop stopReason",
  "ACST..": "claimTask releaseTask assignTask escalateTask snoozeTask takeCall closeCall",
  "ACS...": "stricterLimits",
  "A.STUM": "agents",
  "A.STU.": "unresolved",
  "A.ST..": "drain close open reserve endReservation moveInQueue endSession askAgain",
  "A.S.U.": `handPays slip disputes dispute clip requestClip gameOfClip sampledGames ${STAFF_CLIP_PART_PATH} ${EVIDENCE_PATH}`,
  "A.S...": "payHandPay* grantBonus*",
  ".CS.U.":
    "player payments payment playerSessions playerWallet playerStatement playerGames revealContact notePlayer receipt playerIdentity revealIdentity",
  ".CS...":
    "addPlayer decideIdentity* eraseIdentity* deposit* withdraw* paymentOfCode refusePayment approvePayment* myShift openShift closeShift",
  "..STUM": "discrepancies discrepancy paytables",
  "..S.UM": `campaigns campaign campaignGrants staff roles signIns deliveries delivery settings settingsVersions markets termsVersions termsVersion audit proveAudit report reportHours reportGames reportTransfers reportShifts reportProviders
    ${REPORT_FILE_PATH}`,
  "..S.U.": "shifts careCases careCase playerCare",
  "..S..M": "releaseStop* displays admitDisplay* endDisplay",
  "..S...": `settlePayment* openCareCase declareMeans takeCareCase noteCareCase writeCareLetter careTimeOut closeCareCase banPlayer* unbanPlayer* endPlayerSignIns removePlayerKeys* newPlayerPassword* looserLimits* takeDispute noteDispute askBackDispute decideDispute* voidSlip* explainDiscrepancy* addCampaign
    changeCampaign startCampaign* pauseCampaign resumeCampaign* endCampaign`,
  "...T.M": `simulate enrolAgent* rotateAgent* endAgentKey* revokeAgent* enrolMachine moveMachine retireMachine* returnMachine
    orderRamClear* cancelRamClear setPaytable*`,
  ".....M": `endSignIn* unlinkDirectory* inviteStaff* renewInvitation* changeRoles* changeRole* endStaff* setTaskTimes resendDelivery resendDeliveries
    dropDelivery testWebhook changeSettings* rollBackSettings* chooseMarket* addTerms*`,
};
const wordsOf = (words: string): string[] => words.trim().split(/\s+/);
const nameOf = (word: string): string => word.replace("*", "");

/** Routes beside the contract's calls: files, and what a wall shows by a token of its own. */
const FILES = {
  [STILL_PATH]: { method: "GET", path: STILL_PATH },
  [REPORT_FILE_PATH]: { method: "GET", path: REPORT_FILE_PATH },
  [EVIDENCE_PATH]: { method: "GET", path: EVIDENCE_PATH },
  [STAFF_CLIP_PART_PATH]: { method: "GET", path: STAFF_CLIP_PART_PATH },
} as const;
const BY_WALLS_TOKEN = [WALL_PATH, WALL_STILL_PATH];
const SOCKETS = [STAFF_SOCKET_PATH, STAFF_VIDEO_PATH];

type Route = Pick<StaffCall, "method" | "path">;
const ROUTES: Readonly<Record<string, Route>> = { ...staffCalls, ...FILES };
const urlOf = (path: string) => path.replaceAll(/\{\w+\}/g, "x1");

let folder: string;
let venue: TestVenue;
let players: string;
let members: Record<string, Awaited<ReturnType<typeof staffMember>>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-rights-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "the console");
  await writeFile(join(folder, "sw.js"), "worker");
  await writeFile(join(folder, "assets/main-0a1B2c3D.js"), "script");
  venue = await testVenue({
    env: {
      STAFF_PORT: "0",
      ...SILENT_DIRECTORY,
      CONSOLE_FOLDER: folder,
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      CALLS_PER_MINUTE_ADDRESS: "100000",
    },
  });
  await venue.app.listen({ host: "127.0.0.1", port: 0 });
  players = `ws://127.0.0.1:${(venue.app.server.address() as AddressInfo).port}`;
  await venue.platform.staff?.listen();
  const made = [];
  for (const role of ROLE_NAMES) made.push([role, await staffMember(venue, `one-${role}`, [role])] as const);
  members = Object.fromEntries(made);
});
afterAll(async () => {
  await venue.close();
  await rm(folder, { recursive: true, force: true });
});

const app = () => venue.platform.staff!.app;
const send = (client: ReturnType<typeof staffClient>, { method, path }: Route) =>
  method === "GET" ? client.get(urlOf(path)) : client.post(urlOf(path), {});

describe("the table of rights", () => {
  test("names every call of the contract once, and says which need a step-up", () => {
    const all = [OPEN, LOCKED, OWN, ...Object.values(BY_ROLES)].flatMap(wordsOf);
    expect(all.map(nameOf).toSorted()).toEqual(Object.keys(ROUTES).toSorted());
    const steppedUp = Object.entries<StaffCall>(staffCalls).filter(([, { stepUp }]) => stepUp === true);
    expect(
      all
        .filter((word) => word.endsWith("*"))
        .map(nameOf)
        .toSorted(),
    ).toEqual(steppedUp.map(([name]) => name).toSorted());
  });

  test("names every route that the staff's listener has", () => {
    const has = ({ method, path }: Route) => app().hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ":$1") });
    const named = [
      ...Object.values(ROUTES).map(({ method, path }) => ({ method, path: STAFF_BASE + path })),
      ...BY_WALLS_TOKEN.map((path) => ({ method: "GET" as const, path })),
    ];
    expect(named.filter((route) => !has(route))).toEqual([]);
    // Each route is one line of the printed tree: its methods are behind it.
    const tree = app().printRoutes({ commonPrefix: false });
    const printed = tree.split("\n").flatMap((line) => /\(([A-Z, ]+)\)/.exec(line)?.[1]?.split(", ") ?? []);
    const files = printed.length - named.length;
    // The page, and the console's files, each by GET and HEAD.
    expect({ tree, files }).toEqual({ tree, files: 4 });
  });

  test("holds for each role at each route: 403 exactly where it says so", async () => {
    const wrong: string[] = [];
    const forAll = { ACSTUM: `${LOCKED} ${OWN} ${OPEN}` };
    for (const table of [BY_ROLES, forAll])
      for (const [roles, words] of Object.entries(table))
        for (const name of wordsOf(words).map(nameOf)) {
          // They would end or lock the sign-in with which the others are tried.
          if (name === "signOut" || name === "lock") continue;
          for (const [at, role] of ROLE_NAMES.entries()) {
            const { client } = members[role] ?? {};
            const { status, body } = await send(client!, ROUTES[name]!);
            const isRefused = status === 403 && body["problem"] === "permission.missing";
            const isOurFailure = status >= 500 || status === 401;
            const isWrongSignIn = ["signIn.wrong", "wall.token", "directory.away"].includes(String(body["problem"]));
            if (isRefused !== (roles[at] === ".") || (isOurFailure && !isWrongSignIn))
              wrong.push(`${role} ${name}: ${status} ${String(body["problem"])}`);
          }
        }
    expect(wrong).toEqual([]);
  });

  test("holds without a sign-in: 401 everywhere but at the open calls", async () => {
    const client = staffClient(venue);
    const open = new Set(wordsOf(OPEN));
    for (const [name, route] of Object.entries(ROUTES)) {
      const { status, body } = await send(client, route);
      if (open.has(name)) expect({ name, problem: body["problem"] }).not.toEqual({ name, problem: "signIn.needed" });
      else expect({ name, status, problem: body["problem"] }).toEqual({ name, status: 401, problem: "signIn.needed" });
    }
    for (const path of BY_WALLS_TOKEN)
      expect((await client.get(urlOf(path).slice(STAFF_BASE.length))).status).toBe(401);
    for (const path of SOCKETS) {
      const socket = openSocket(staffOrigin(venue).replace("http:", "ws:") + path, { origin: staffOrigin(venue) });
      expect({ path, status: await socket.refused }).toEqual({
        path,
        status: expect.toSatisfy((s) => s === 401 || s === 403),
      });
    }
  });
});

test("nothing of the staff's side is on the players' listener: no route, no socket, no file", async () => {
  const paths = [...Object.values(ROUTES).map(({ path }) => STAFF_BASE + path), ...BY_WALLS_TOKEN];
  const { cookie } = members["administrator"]!.client;
  for (const path of paths)
    for (const method of ["GET", "POST", "HEAD", "PUT", "DELETE"] as const) {
      const reply = await venue.app.inject({ method, url: urlOf(path), headers: { cookie } });
      expect({ path, method, status: reply.statusCode }).toEqual({ path, method, status: 404 });
    }
  for (const path of SOCKETS)
    for (const origin of [staffOrigin(venue), players.replace("ws:", "http:")]) {
      const socket = openSocket(players + path, { origin, headers: { cookie } });
      expect({ path, origin, status: await socket.refused }).toEqual({ path, origin, status: 404 });
    }
  for (const path of [
    "/",
    "/index.html",
    "/sw.js",
    "/assets/main-0a1B2c3D.js",
    "/staff",
    "/approvals",
    "/invitation",
  ]) {
    const reply = await venue.app.inject({ url: path, headers: { accept: "text/html" } });
    expect({ path, status: reply.statusCode }).toEqual({ path, status: 404 });
  }
});
