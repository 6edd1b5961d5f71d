import { breakCalls } from "@longarm/contract/player-breaks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { getRouteApi, Link, useNavigate, useRouteContext } from "@tanstack/react-router";
import { useEffect } from "react";
import { ClosedGate } from "../../features/breaks/closed-gate.tsx";
import { ContactLink } from "../../shared/contacts/contacts.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { renewToken } from "../start/sign-in.ts";

const route = getRouteApi("/closed");
/** Timers of browsers count no further, ms. */
const TIMER_MS_MAX = 2_147_483_647;

/** Where lobby and game lead while a break holds. */
export function ClosedRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const link = route.useLoaderData();
  const { t } = useText();
  const navigate = useNavigate();
  const signedIn = useLive(app.auth.state);
  const wallet = useLive(link.wallet);
  const closed = signedIn.is === "guest" ? undefined : signedIn.player.playClosed;
  const opens = closed === undefined ? undefined : Date.parse(closed.opensAt ?? closed.until);

  useEffect(() => {
    if (closed === undefined) void navigate({ to: paths.lobby, replace: true });
  }, [closed, navigate]);
  useEffect(() => {
    if (opens === undefined) return undefined;
    const waitMs = Math.max(1_000, opens - app.clock.now() + 1_000);
    const timer = setTimeout(() => void renewToken(app), Math.min(waitMs, TIMER_MS_MAX));
    return () => clearTimeout(timer);
  }, [opens, app]);

  if (closed === undefined) return null;
  async function reopen(): Promise<void> {
    const answer = await app.api.make(breakCalls.reopenPlay);
    if (!answer.ok) app.messages.say("bad", failureText(app.texts.speech.getState(), answer.failure));
    await renewToken(app);
  }
  return (
    <ClosedGate
      closed={closed}
      wallet={wallet?.balance}
      onReopen={reopen}
      ways={
        <>
          <Link to={paths.transactions} className={keyClass({ big: true })}>
            {t("breaks.statement")}
          </Link>
          <Link to={paths.slotSessions} className={keyClass({ kind: "bare", big: true })}>
            {t("breaks.games")}
          </Link>
          {app.settings.contacts.slice(0, 1).map((contact) => (
            <ContactLink key={JSON.stringify(contact)} contact={contact} kind="bare" big />
          ))}
          <Link to={paths.logout} className={keyClass({ kind: "bare", big: true })}>
            {t("breaks.logout")}
          </Link>
        </>
      }
    />
  );
}
