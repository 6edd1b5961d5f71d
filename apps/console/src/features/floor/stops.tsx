import type { Stop } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Note, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./floor.module.css";

/** The emergency stops that hold: what they have reached, their reason, and their release by two people. */
export function Stops() {
  const { t } = useText();
  const stops = useRead("stops");
  const open = stops.data?.rows.filter(({ releasedAt }) => releasedAt === null) ?? [];
  if (open.length === 0) return null;
  return (
    <Panel title={t("floor.stops")}>
      {open.map((stop) => (
        <OpenStop key={stop.id} stop={stop} />
      ))}
    </Panel>
  );
}

function OpenStop({ stop }: { readonly stop: Stop }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const mayStop = useMay("stop.set");
  const mayRelease = useMay("stop.release");
  const online = useOnline();
  const [open, setOpen] = useState<"reason" | "release">();
  const counted = (is: Stop["machines"][number]["is"]) => stop.machines.filter((one) => one.is === is).length;
  return (
    <div className={css["stop"]}>
      <Lamp status="fault">
        {t("floor.stopOf", { scope: scopeText(stop, t("floor.venue")), name: stop.setBy.name })}
      </Lamp>
      <p className="soft">
        {t("floor.stopSince", { time: whenText(stop.setAt, clock.now(), venue.timeZone, language) })}
        {" · "}
        {t("floor.stopCounts", {
          stopped: counted("stopped"),
          stopping: counted("stopping"),
          unreachable: counted("unreachable"),
        })}
      </p>
      {stop.agentsAway.length > 0 && (
        <Note kind="bad">{t("floor.stopAway", { names: stop.agentsAway.join(", ") })}</Note>
      )}
      {stop.reason === null ? <Note kind="wait">{t("floor.stopNoReason")}</Note> : <p>{stop.reason}</p>}
      <div className={css["acts"]}>
        {stop.reason === null && mayStop && (
          <Key kind="line" disabled={!online} onClick={() => setOpen("reason")}>
            {t("floor.writeReason")}
          </Key>
        )}
        {mayRelease && stop.approval === null && (
          <Key kind="line" disabled={!online} onClick={() => setOpen("release")}>
            {t("floor.release")}
          </Key>
        )}
        {stop.approval !== null && <span className="soft">{t("floor.releaseWaits")}</span>}
      </div>
      <FormSheet
        open={open !== undefined}
        title={t(open === "release" ? "floor.release" : "floor.writeReason")}
        onClose={() => setOpen(undefined)}
      >
        <StopForm stop={stop} release={open === "release"} close={() => setOpen(undefined)} />
      </FormSheet>
    </div>
  );
}

const scopeText = ({ scope }: Stop, venue: string): string => {
  if (scope.is === "machine") return scope.machine;
  return scope.is === "group" ? scope.group : venue;
};

function StopForm({
  stop,
  release,
  close,
}: {
  readonly stop: Stop;
  readonly release: boolean;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [reason, setReason] = useState("");
  const title = t(release ? "floor.release" : "floor.writeReason");
  const wanted = {
    params: { id: stop.id },
    fields: { reason: reasonOf(reason) },
    summary: { title, lines: [[t("app.reason"), reasonOf(reason)]] as const },
    reads: ["stops", "tasks", "approvals"] as const,
  };
  async function send(): Promise<void> {
    const answer = release ? await run("releaseStop", wanted) : await run("stopReason", wanted);
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t(release ? "floor.releaseAbout" : "floor.reasonAbout")}</p>
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        send={title}
        busy={busy}
        disabled={reasonOf(reason) === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
