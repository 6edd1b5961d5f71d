import { findPerson } from "../accounts/index.ts";
import type { DirectorySignIn } from "../sign-in/index.ts";
import { doAct, passkeysOf, Refused, unlinkDirectory } from "../sign-in/index.ts";
import { attemptCookieOf, setAttemptCookie } from "./guard.ts";
import type { PeopleDeps } from "./me.ts";
import { enterAs, unlockedMe } from "./me.ts";
import type { Handlers, Incoming } from "./routes.ts";

/** Signing in with the operator's directory. Without one there are no such calls. */
export function directoryHandlers(deps: PeopleDeps): Handlers {
  return deps.directory === undefined ? {} : { ...signingIn(deps, deps.directory), ...unlinking(deps) };
}

function signingIn(deps: PeopleDeps, directory: DirectorySignIn): Handlers {
  const { origin } = deps;

  /** Keeps the attempt's secret in this browser and says where it goes. */
  async function sent({ reply }: Pick<Incoming<never>, "reply">, begun: ReturnType<DirectorySignIn["begin"]>) {
    const { secret, href } = await begun;
    setAttemptCookie(reply, origin(), secret);
    return { href };
  }

  /** What came back, of this browser; its cookie is used up. */
  function back({ body, cookies, reply }: Pick<Incoming<"directoryFinish">, "body" | "cookies" | "reply">) {
    setAttemptCookie(reply, origin(), null);
    return { secret: attemptCookieOf(cookies, origin()), answer: body.answer };
  }

  return {
    directoryBegin: (call) => sent(call, directory.begin()),
    directoryFinish: async (call) => await enterAs(deps, call.reply, await directory.finish(back(call), call.whence)),
    invitationDirectoryBegin: (call) => sent(call, directory.beginInvited(call.body.token)),
    unlockDirectoryBegin: (call) => sent(call, directory.beginUnlock(call.caller())),
    unlockDirectoryFinish: async (call) => {
      await directory.finishUnlock(call.caller(), back(call), call.whence);
      return await unlockedMe(deps, call.caller());
    },
  };
}

function unlinking(deps: PeopleDeps): Handlers {
  return {
    unlinkMyDirectory: ({ act, caller }) =>
      doAct(deps, act(), async (trx) => {
        const { staffId } = caller();
        const person = await findPerson(trx, staffId);
        if ((await passkeysOf(trx, staffId)).length === 0 && person?.password === null)
          throw new Refused("passkey.last");
        await unlinkDirectory(trx, staffId);
        return {};
      }),
    unlinkDirectory: ({ act, params }) =>
      doAct(deps, act(), async (trx) => {
        await unlinkDirectory(trx, params["id"] ?? "");
        return {};
      }),
  };
}
