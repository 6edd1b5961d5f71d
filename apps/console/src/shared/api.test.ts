import { expect, test } from "vitest";
import type { CallProblem } from "./api.ts";
import { createApi } from "./api.ts";

/** The API over one answer, and the addresses that were called. */
function over(answer: () => Promise<Response>) {
  const called: string[] = [];
  const observed: (string | undefined)[] = [];
  const api = createApi({
    fetch: (input) => {
      called.push(String(input));
      return answer();
    },
    csrf: () => undefined,
    observe: (problem) => void observed.push(problem?.problem),
  });
  return { api, called, observed };
}
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: CallProblem) => error.problem,
  );
const reply = (status: number, body: string) => async () => new Response(body, { status });

test.each([
  [401, JSON.stringify({ problem: "signIn.needed", params: {}, text: "", request: "1" }), "signIn.needed"],
  [502, "<h1>Bad gateway</h1>", "network"],
  [404, "<h1>Not found</h1>", "unreadable"],
  [200, "<h1>Sign in to the network</h1>", "unreadable"],
  [200, JSON.stringify({ rows: [{ id: 7 }], next: null, asOf: "now" }), "unreadable"],
])("an answer %i %s is %s", async (status, body, problem) => {
  const { api, observed } = over(reply(status, body));
  expect(await problemOf(api.call("staff"))).toBe(problem);
  expect(observed).toEqual([problem]);
});

test("no answer at all is the network", async () => {
  const { api } = over(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(await problemOf(api.call("staff"))).toBe("network");
});

test("names in an address cannot lead elsewhere, and an empty filter is left out", async () => {
  const { api, called } = over(reply(200, JSON.stringify({ rows: [], next: null, asOf: "2026-11-26T20:00:00Z" })));
  await problemOf(api.call("approval", { params: { id: "../staff?x=1#y" } }));
  await api.call("approvals", { query: { which: "mine", after: "", limit: 5 } });
  expect(called).toEqual(["/staff/v1/approvals/..%2Fstaff%3Fx%3D1%23y", "/staff/v1/approvals?which=mine&limit=5"]);
});
