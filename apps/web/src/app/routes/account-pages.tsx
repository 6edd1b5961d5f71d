import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { getRouteApi, useNavigate, useRouteContext } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { IdentityPage } from "../../features/identity/identity-page.tsx";
import { placesIn } from "../../features/queue/queues.ts";
import { PlacesList } from "../../features/queue/view/places-list.tsx";
import { Page } from "../../features/shell/page.tsx";
import { TermsPage } from "../../features/terms/terms-page.tsx";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { ContactLinks } from "../../shared/contacts/contacts.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { queueDepsOf } from "../queue/queues-of.ts";
import { renewToken } from "../start/sign-in.ts";

/** Where a refusal for want of age or proof leads, and the profile. */
export function IdentityRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const signedIn = useLive(app.auth.state);
  usePageTitle(t("identity.title"));
  // Signed out while the page was open: the guard leads away at once.
  if (signedIn.is === "guest") return null;
  const { name, lastname } = signedIn.player;
  return (
    <Page title={t("identity.title")} subtitle={t("identity.about")}>
      <IdentityPage
        api={app.api}
        name={`${name} ${lastname}`.trim()}
        contacts={<ContactLinks contacts={app.settings.contacts} kind="line" />}
      />
    </Page>
  );
}

/** The terms of use, also those of before. */
export function TermsRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const speech = useText();
  const { t } = speech;
  usePageTitle(t("terms.title"));
  function accepted(failure?: ApiFailure): void {
    if (failure !== undefined) app.messages.say("bad", failureText(speech, failure));
    // The sign-in's answer says from now on that nothing waits.
    void renewToken(app);
  }
  return (
    <Page title={t("terms.title")} subtitle={t("terms.about")}>
      <TermsPage api={app.api} onAccepted={accepted} />
    </Page>
  );
}

const player = getRouteApi("/shell/player");

const OnDevice = lazy(() => import("../device/on-device.tsx").catch(() => ({ default: () => null })));

/** The player's places in queues. */
export function QueueRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const link = player.useLoaderData();
  const deps = queueDepsOf(app)(link);
  const navigate = useNavigate();
  const now = useLive(deps.queues.now);
  usePageTitle(t("queue.title"));
  const most = typeof now.answer === "object" ? now.answer.placesMax : 0;
  return (
    <Page
      title={t("queue.title")}
      subtitle={most > 0 ? t("queue.about", { used: placesIn(now).length, most }) : undefined}
    >
      <PlacesList deps={deps} onLobby={() => void navigate({ to: paths.lobby })} />
      <Suspense>
        <OnDevice {...{ app, link }} at="places" />
      </Suspense>
    </Page>
  );
}
