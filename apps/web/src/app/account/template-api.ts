import type { TemplateCallName } from "@longarm/contract/template/template-api";
import { templateCalls } from "@longarm/contract/template/template-api";
import type * as z from "zod/mini";
import type { ApiAnswer, Given, InputOf } from "../../shared/api/client.ts";
import { createCaller } from "../../shared/api/client.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { needCodes, renewToken } from "../start/sign-in.ts";

type Calls = typeof templateCalls;
type TemplateApi = {
  /** Makes one call of the template's API and never rejects: every outcome is in the answer. */
  call<N extends TemplateCallName>(name: N, input: InputOf<Calls[N]>): Promise<ApiAnswer<z.output<Calls[N]["answer"]>>>;
};

/**
 * The template's calls at the settings' `templateApiUrl`. That may be another back end than the one that signed the player in, so a 401,
 * a ban or a lock from there is only a reason to ask the platform itself, whose answer signs out or locks.
 */
export const templateApiOf = oncePer<App, TemplateApi>((app) => {
  const ask = () => void renewToken(app);
  const { addresses, auth, fetch } = app;
  const make = createCaller({
    base: addresses.template,
    token: auth.token,
    fetch,
    words: () => needCodes(app),
    onUnauthorised: ask,
    onLocked: ask,
  });
  return {
    call: <N extends TemplateCallName>(name: N, input: InputOf<Calls[N]>) =>
      make(
        templateCalls[name],
        input as Given,
        templateCalls[name].answer as unknown as z.ZodMiniType<z.output<Calls[N]["answer"]>>,
      ),
  };
});
