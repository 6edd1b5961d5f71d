import { TASK_KINDS } from "@longarm/contract/staff-tasks";
import { doAct, listSignIns, Refused } from "../sign-in/index.ts";
import type { TaskChange } from "../tasks/index.ts";
import { changeTask, setTaskTimes } from "../tasks/index.ts";
import type { DeskDeps } from "./desk.ts";
import { listed } from "./people.ts";
import type { Handlers, Incoming } from "./routes.ts";

/** Today: what needs a person, who has it, and by when. */
export function taskHandlers(deps: DeskDeps): Handlers {
  const { db, tasks } = deps;
  async function change(
    { act, caller, params }: Pick<Incoming<"claimTask">, "act" | "caller" | "params">,
    what: TaskChange,
  ) {
    // What has come or gone since the page was drawn.
    await tasks.look();
    return await doAct(deps, act(), async (trx) => {
      await changeTask(trx, deps, { id: params["id"] ?? "", caller: caller(), change: what });
      return {};
    });
  }
  return {
    tasks: async ({ caller }) => await listed(db, (await tasks.look()).of(caller())),
    claimTask: (call) => change(call, { is: "owner", staffId: call.caller().staffId }),
    releaseTask: (call) => change(call, { is: "owner", staffId: null }),
    assignTask: async (call) => {
      const { person } = call.body;
      const here = (await listSignIns(db, Number.MAX_SAFE_INTEGER, person)).length > 0;
      if (!here) throw new Refused("act.refused", { sentence: "This person is not signed in." });
      return await change(call, { is: "owner", staffId: person });
    },
    escalateTask: (call) => change(call, { is: "escalated" }),
    snoozeTask: (call) => change(call, { is: "snoozed" }),
    closeTask: (call) => change(call, { is: "closed", reason: call.body.reason }),
    taskTimes: async () =>
      await listed(
        db,
        Object.entries(await tasks.times()).map(([kind, times]) => ({ kind: kindIn(kind), ...times })),
      ),
    setTaskTimes: ({ act, params, body }) =>
      doAct(deps, act(), async (trx) => {
        await setTaskTimes(trx, { kind: kindIn(params["kind"]), ...body });
        return {};
      }),
  };
}

/** @throws Refused `thing.unknown`. */
function kindIn(name: string | undefined) {
  const kind = TASK_KINDS.find((one) => one === name);
  if (kind === undefined) throw new Refused("thing.unknown", { kind: "task" });
  return kind;
}
