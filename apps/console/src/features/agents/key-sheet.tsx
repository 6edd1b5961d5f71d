import { Field } from "@longarm/ui/field.tsx";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./agents.module.css";

export type AgentRow = AnswerOf<"agents">["rows"][number];

export type KeyAct =
  | { readonly is: "enrol" }
  | { readonly is: "rotate"; readonly agent: AgentRow }
  | { readonly is: "end"; readonly agent: AgentRow; readonly keyId: string }
  | { readonly is: "revoke"; readonly agent: AgentRow };

/** An act on an agent's keys. A new key stays on the screen until the person closes it: it is shown once. */
export function KeySheet({ act, close }: { readonly act: KeyAct | undefined; readonly close: () => void }) {
  const { t } = useText();
  const [made, setMade] = useState<{ readonly name: string; readonly key: string }>();
  const end = () => {
    setMade(undefined);
    close();
  };
  return (
    <FormSheet
      open={act !== undefined}
      title={titleOf(t, act, made !== undefined)}
      onClose={made === undefined ? end : () => {}}
    >
      {made !== undefined && <NewKey name={made.name} secret={made.key} close={end} />}
      {made === undefined && (act?.is === "enrol" || act?.is === "rotate") && (
        <MakeForm agent={act.is === "rotate" ? act.agent : undefined} made={setMade} close={end} />
      )}
      {(act?.is === "end" || act?.is === "revoke") && <EndForm act={act} close={end} />}
    </FormSheet>
  );
}

function titleOf(t: Speech["t"], act: KeyAct | undefined, isMade: boolean): string {
  if (isMade) return t("agents.keyTitle");
  return act === undefined ? "" : t(`agents.title_${act.is}`);
}

const OLD_KEY = ["hours", "act", "now"] as const;
/** How long both keys hold, where a time ends the old one, hours. */
const OVERLAP_HOURS = 24;

function MakeForm(props: {
  readonly agent: AgentRow | undefined;
  readonly made: (key: { name: string; key: string }) => void;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { busy, run } = useAct();
  const { agent } = props;
  const [name, setName] = useState(agent?.name ?? "");
  const [old, setOld] = useState<(typeof OLD_KEY)[number]>("hours");
  const [hours, setHours] = useState(String(OVERLAP_HOURS));
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  const overlap = /^\d{1,3}$/.test(hours) ? Number(hours) : 0;
  const isWrong = old === "hours" && (overlap < 1 || overlap > 720);
  const hasKey = agent !== undefined && agent.keys.length > 0;

  async function send(): Promise<void> {
    const title = t(agent === undefined ? "agents.title_enrol" : "agents.title_rotate");
    const summary = {
      title,
      lines: [
        [t("agents.name"), name.trim()],
        ...(hasKey ? [[t("agents.oldKey"), t(`agents.old_${old}`)] as const] : []),
        [t("app.reason"), reason],
      ] as const,
    };
    const answer =
      agent === undefined
        ? await run("enrolAgent", { fields: { name: name.trim(), reason }, summary, reads: ["agents"] })
        : await run("rotateAgent", {
            params: { id: agent.id },
            fields: {
              old: old === "hours" && hasKey ? { is: old, hours: overlap } : { is: hasKey ? ifTime(old) : "now" },
              reason,
            },
            summary,
            reads: ["agents"],
          });
    if (answer?.is === "done" && answer.result.key !== null) props.made({ name: name.trim(), key: answer.result.key });
  }

  return (
    <>
      <p className="soft">{t(agent === undefined ? "agents.enrolAbout" : "agents.rotateAbout", { name })}</p>
      {agent === undefined && (
        <Field
          label={t("agents.name")}
          note={t("agents.nameNote")}
          value={name}
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={({ target }) => setName(target.value)}
        />
      )}
      {hasKey && (
        <SelectField
          label={t("agents.oldKey")}
          note={t(`agents.about_${old}`)}
          value={old}
          choices={OLD_KEY.map((one) => [one, t(`agents.old_${one}`)] as const)}
          onChange={setOld}
        />
      )}
      {hasKey && old === "hours" && (
        <Field
          label={t("agents.hours")}
          error={isWrong ? t("agents.hoursWrong") : undefined}
          value={hours}
          maxLength={3}
          inputMode="numeric"
          autoComplete="off"
          onChange={({ target }) => setHours(target.value)}
        />
      )}
      {hasKey && old === "now" && <Note kind="wait">{t("agents.nowWarning", { count: agent.machines.length })}</Note>}
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={t(agent === undefined ? "agents.enrol" : "agents.makeKey")}
        busy={busy}
        disabled={name.trim() === "" || reason === "" || (hasKey && isWrong)}
        onSend={() => void send()}
        onCancel={props.close}
      />
    </>
  );
}

const ifTime = (old: (typeof OLD_KEY)[number]): "now" | "act" => (old === "act" ? "act" : "now");

function EndForm({
  act,
  close,
}: {
  readonly act: Extract<KeyAct, { is: "end" | "revoke" }>;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  const { name, id, machines } = act.agent;
  const title = t(`agents.title_${act.is}`);
  async function send(): Promise<void> {
    const wanted = {
      fields: { reason },
      summary: {
        title,
        lines: [
          [t("agents.name"), name],
          ...(act.is === "end" ? [[t("agents.key"), act.keyId] as const] : []),
          [t("app.reason"), reason],
        ] as const,
      },
      reads: ["agents", "floor"] as const,
      said: t(`agents.done_${act.is}`, { name }),
    };
    const answer =
      act.is === "end"
        ? await run("endAgentKey", { ...wanted, params: { id, key: act.keyId } })
        : await run("revokeAgent", { ...wanted, params: { id } });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t(`agents.about_${act.is}`, { name, count: machines.length })}</p>
      <ReasonField value={text} onText={setText} />
      <ActKeys send={title} danger busy={busy} disabled={reason === ""} onSend={() => void send()} onCancel={close} />
    </>
  );
}

/** A key with the line for the agent's file. */
function NewKey({
  name,
  secret,
  close,
}: {
  readonly name: string;
  readonly secret: string;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { messages } = useConsole();
  const line = `AGENT_KEY=${secret}`;
  const copy = () =>
    navigator.clipboard.writeText(line).then(
      () => messages.say("good", t("app.copied")),
      () => messages.say("bad", t("app.notCopied")),
    );
  return (
    <>
      <p className="soft">{t("agents.keyOnce", { name })}</p>
      <code className={`ltr ${css["secret"]}`}>{line}</code>
      <p className="fine">{t("agents.keyWhere")}</p>
      <div className={css["acts"]}>
        <Key kind="brass" onClick={() => void copy()}>
          <ConsoleIcon name="copy" />
          {t("app.copy")}
        </Key>
        <Key kind="line" onClick={close}>
          {t("app.done")}
        </Key>
      </div>
    </>
  );
}
