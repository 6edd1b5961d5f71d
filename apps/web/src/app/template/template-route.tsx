import type { RegisterReason } from "@longarm/contract/template/template-api";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { useLoaderData, useNavigate, useRouteContext } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { lazy, useLayoutEffect } from "react";
import { Page } from "../../features/shell/page.tsx";
import type { AccountErrors, NewAccount, ShowcaseHost } from "../../features/showcase/host.ts";
import { ShowcaseContext } from "../../features/showcase/host.ts";
import type { ShowcasePage } from "../../features/showcase/pages.ts";
import { pageAt } from "../../features/showcase/pages.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { codeText, failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { templateApiOf } from "../account/template-api.ts";
import type { App } from "../app.ts";
import type { Arriving, RouterContext } from "../guard.ts";
import { goTo, guard } from "../guard.ts";
import { needCodes, signInWithToken } from "../start/sign-in.ts";

const STATES = {
  machines: lazy(async () => ({ default: (await import("./component-states.tsx")).MachineStates })),
  controls: lazy(async () => ({ default: (await import("./component-states.tsx")).ControlStates })),
  palettes: lazy(async () => ({ default: (await import("./component-states.tsx")).PaletteStates })),
};

/** Where a page of the template meets the app: its bars, its layout, and the account that it may open. */
export function TemplateRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { page, Content } = useLoaderData({ strict: false }) as LoadedPage;
  const { t } = useText();
  const navigate = useNavigate();
  const title = t(page.label);
  usePageTitle(title);
  useLayoutEffect(() => {
    app.appearance.forRoute(page.layout);
    return () => app.appearance.forRoute(undefined);
  }, [app, page]);

  const host: ShowcaseHost = {
    clock: app.clock,
    timers: app.timers,
    say: app.messages.say,
    states: STATES,
    async register(account: NewAccount) {
      const errors = await registerWith(app)(account);
      if (errors === undefined) void navigate({ to: paths.start, replace: true });
      return errors;
    },
  };
  return (
    <ShowcaseContext value={host}>
      <Page title={page.heading === "own" ? undefined : title}>
        <Content key={page.path} title={title} />
      </Page>
    </ShowcaseContext>
  );
}

/** A page of the template with what draws it. */
type LoadedPage = { readonly page: ShowcasePage; readonly Content: ComponentType<{ readonly title: string }> };

/** The page of this address. Visitors who may not open it are redirected; an unknown address leads to the 404 page. */
export function enterPage(arriving: Arriving): { page: ShowcasePage } {
  const page = pageAt(arriving.location.pathname);
  if (page === undefined) return goTo(paths.notFound)();
  guard(page.auth ?? null)(arriving);
  return { page };
}

/** What the page is drawn with: its own file, and its texts. */
export async function loadPage({ app, page }: RouterContext & { page: ShowcasePage }): Promise<LoadedPage> {
  const { load, areas = [] } = page;
  if (load === undefined) throw new Error(`Nothing draws ${page.path}`);
  const [Content] = await Promise.all([load(), app.texts.need("pages", ...areas)]);
  return { page, Content };
}

/** A field as either list of errors names it. */
type FieldError = { readonly type: string; readonly message: string; readonly reason?: string | undefined };

/** Opens an account and signs in to it: the token is kept, and checked as on every start. Undefined: a player is signed in. */
export function registerWith(app: App): (account: NewAccount) => Promise<AccountErrors | undefined> {
  return async (account) => {
    await Promise.all([app.texts.need("account"), needCodes(app)]);
    const speech = app.texts.speech.getState();
    // The page is open to everybody; nothing of one player may stay on the screen of another.
    if (app.auth.state.getState().is === "player") return { form: speech.t("account.logOutFirst") };
    const answer = await templateApiOf(app).call("register", { body: account });
    if (!answer.ok) return failureErrors(speech, answer.failure);
    const { error, access_token } = answer.data;
    if (error && error.length > 0) return fieldErrors(speech, error);
    if (!access_token) return { form: speech.t("app.callFailed") };
    app.auth.keep(access_token);
    await signInWithToken(app);
    return app.auth.token() === null || app.auth.state.getState().roles.length === 0
      ? { form: speech.t("account.openedNotSignedIn") }
      : undefined;
  };
}

function failureErrors(speech: Speech, failure: ApiFailure): AccountErrors {
  if (failure.fields.length > 0) return fieldErrors(speech, failure.fields);
  return { form: failureText(speech, failure) };
}

/** Each error on its field, the first of a field; one of a field that the form does not have is shown above the form. */
function fieldErrors(speech: Speech, errors: readonly FieldError[]): AccountErrors {
  const shown: AccountErrors = {};
  for (const error of errors) {
    const field = FIELDS[error.type] ?? "form";
    shown[field] ??= ownText(speech, field, error.reason) ?? error.message;
  }
  return shown;
}

const FIELDS: Readonly<Partial<Record<string, keyof NewAccount>>> = {
  username: "displayName",
  displayName: "displayName",
  email: "email",
  password: "password",
};

/** Our own words for what is wrong, in the language of the page. */
function ownText(speech: Speech, field: keyof AccountErrors, reason: string | undefined): string | undefined {
  const known: Partial<Record<RegisterReason, string | undefined>> = {
    taken: speech.t("account.emailTaken"),
    invalid: field === "email" ? speech.t("account.emailInvalid") : speech.t("account.nameInvalid"),
    short: codeText(speech, 40101),
    common: codeText(speech, 60052),
  };
  return known[reason as RegisterReason];
}
