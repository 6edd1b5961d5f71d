import type { StaffCallName } from "@longarm/contract/staff";
import type { Live } from "@longarm/ui/live.ts";
import type { Passkeys } from "@longarm/ui/passkeys.ts";
import { createStore } from "zustand/vanilla";
import type { AnswerOf, Api, BodyOf } from "./api.ts";
import { CallProblem, callOf } from "./api.ts";

/** What a person reads before the passkey confirms it. */
export type ActSummary = {
  /** What the act is: "Change the roles of Can Demir". */
  readonly title: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
  /** Minor units, where money is moved. */
  readonly amount?: number;
};

/** Calls whose body is that of an act. */
export type ActName = {
  [Name in StaffCallName]: BodyOf<Name> extends { id: string; dryRun?: boolean | undefined } ? Name : never;
}[StaffCallName];

type Fields<Name extends StaffCallName> = Omit<BodyOf<Name> & object, "id" | "stepUp">;

export type WantedAct<Name extends ActName> = {
  readonly params?: Readonly<Record<string, string>>;
  readonly fields: Fields<Name>;
  readonly summary: ActSummary;
};

/** How it ended. `cancelled`: the person did not confirm it. */
export type CallEnd<Name extends StaffCallName> =
  | { readonly is: "answered"; readonly answer: AnswerOf<Name> }
  | { readonly is: "failed"; readonly problem: CallProblem }
  | { readonly is: "cancelled" };

/** A confirmation that waits for the person. */
export type OpenStepUp = {
  readonly summary: ActSummary;
  /** Signs with the passkey and does the act; throws what went wrong, and the person may try again. */
  confirm(): Promise<void>;
  cancel(): void;
};

type WantedCall<Name extends StaffCallName> = {
  readonly params?: Readonly<Record<string, string>>;
  readonly body: Omit<BodyOf<Name> & object, "stepUp">;
  readonly summary: ActSummary;
  /** Whether a passkey confirms it. */
  readonly stepUp: boolean;
};

export type Acts = {
  readonly stepUp: Live<OpenStepUp | null>;
  /** Does an act: it has an id that stays for its repeats, so that it is done once. */
  run<Name extends ActName>(name: Name, wanted: WantedAct<Name>): Promise<CallEnd<Name>>;
  /** Checks an act and changes nothing. Nothing is confirmed for it. */
  check<Name extends ActName>(name: Name, wanted: Omit<WantedAct<Name>, "summary">): Promise<CallEnd<Name>>;
  /** Sends a call that is no act in the platform's sense, confirmed with a passkey where that is wanted. */
  send<Name extends StaffCallName>(name: Name, wanted: WantedCall<Name>): Promise<CallEnd<Name>>;
};

/** Problems of the confirmation alone, or of the way to the platform: the same confirmation may be tried again. */
const TRY_AGAIN: ReadonlySet<string> = new Set(["ceremony.invalid", "stepUp.needed", "network"]);

/** Does what a person answers for. Where the platform wants it, a passkey confirms the very body that is sent. */
export function createActs({
  api,
  passkeys,
  newId,
}: {
  readonly api: Api;
  readonly passkeys: Passkeys;
  readonly newId: () => string;
}): Acts {
  const stepUp = createStore<OpenStepUp | null>(() => null);
  /** Ids of acts whose end is not known, by their content: a repeat is the same act. */
  const unsure = new Map<string, string>();

  async function deliver<Name extends StaffCallName>(
    name: Name,
    params: Readonly<Record<string, string>>,
    body: object,
  ): Promise<CallEnd<Name>> {
    try {
      return { is: "answered", answer: await api.call(name, { params, body: body as BodyOf<Name> }) };
    } catch (error) {
      if (error instanceof CallProblem) return { is: "failed", problem: error };
      throw error;
    }
  }

  async function confirmed<Name extends StaffCallName>(
    name: Name,
    params: Readonly<Record<string, string>>,
    body: object,
    summary: ActSummary,
  ): Promise<CallEnd<Name>> {
    return await new Promise((done) => {
      const end = (how: CallEnd<Name>): void => {
        stepUp.setState(null, true);
        done(how);
      };
      const confirm = async (): Promise<void> => {
        const begun = await api.call("stepUpBegin", {
          body: { call: name, params, body: body as Record<string, unknown> },
        });
        const response = await passkeys.use(begun.options);
        const finished = await api.call("stepUpFinish", { body: { ceremony: begun.ceremony, response } });
        const how = await deliver(name, params, { ...body, stepUp: finished.stepUp });
        if (how.is === "failed" && TRY_AGAIN.has(how.problem.problem)) throw how.problem;
        end(how);
      };
      stepUp.setState({ summary, confirm, cancel: () => end({ is: "cancelled" }) }, true);
    });
  }

  return {
    stepUp,
    async run(name, { params = {}, fields, summary }) {
      const needed = await needsStepUp(name);
      if (needed instanceof CallProblem) return { is: "failed", problem: needed };
      const content = JSON.stringify([name, params, fields]);
      const id = unsure.get(content) ?? newId();
      unsure.set(content, id);
      const body = { id, ...fields };
      const how = needed ? await confirmed(name, params, body, summary) : await deliver(name, params, body);
      if (how.is === "answered" || (how.is === "failed" && how.problem.problem !== "network")) unsure.delete(content);
      return how;
    },
    check: (name, { params = {}, fields }) => deliver(name, params, { id: newId(), ...fields, dryRun: true }),
    send: (name, { params = {}, body, summary, stepUp: needed }) =>
      needed ? confirmed(name, params, body, summary) : deliver(name, params, body),
  };
}

/** Whether a passkey confirms this act. A problem: the contract could not be loaded. */
async function needsStepUp(name: ActName): Promise<boolean | CallProblem> {
  try {
    return (await callOf(name)).stepUp === true;
  } catch (error) {
    if (error instanceof CallProblem) return error;
    throw error;
  }
}
