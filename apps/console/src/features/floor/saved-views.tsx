import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useOnline } from "../../shared/me.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./floor.module.css";
import type { FloorView } from "./floor-view.ts";
import { readView, viewText } from "./floor-view.ts";

/** The person's own views of the floor as tabs, and what is shown now to be kept as one. */
export function SavedViews(props: { readonly view: FloorView; readonly change: (view: FloorView) => void }) {
  const { t } = useText();
  const online = useOnline();
  const { busy, run } = useAct();
  const [open, setOpen] = useState(false);
  const views = useRead("views").data?.rows ?? [];
  const now = viewText(props.view);
  const isKept = now === "" || views.some(({ search }) => search === now);
  if (views.length === 0 && isKept) return null;
  return (
    <div className={css["views"]}>
      <ul aria-label={t("floor.views")}>
        {views.map(({ id, name, search }) => (
          <li key={id} data-now={search === now || undefined}>
            <button
              type="button"
              aria-pressed={search === now}
              onClick={() => props.change(readView(Object.fromEntries(new URLSearchParams(search))))}
            >
              {name}
            </button>
            {search === now && (
              <IconButton
                icon="close"
                label={t("floor.removeView", { name })}
                disabled={!online || busy}
                onClick={() =>
                  void run("removeView", {
                    params: { id },
                    fields: {},
                    summary: { title: "", lines: [] },
                    reads: ["views"],
                  })
                }
              />
            )}
          </li>
        ))}
      </ul>
      {!isKept && (
        <Key kind="bare" icon="plus" disabled={!online} onClick={() => setOpen(true)}>
          {t("floor.keepView")}
        </Key>
      )}
      <FormSheet open={open} title={t("floor.keepView")} onClose={() => setOpen(false)}>
        <ViewForm search={now} close={() => setOpen(false)} />
      </FormSheet>
    </div>
  );
}

function ViewForm({ search, close }: { readonly search: string; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [name, setName] = useState("");
  async function send(): Promise<void> {
    const answer = await run("keepView", {
      fields: { name: name.trim(), search },
      summary: { title: t("floor.keepView"), lines: [] },
      reads: ["views"],
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <Field
        label={t("floor.viewName")}
        note={t("floor.viewNote")}
        value={name}
        maxLength={40}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <ActKeys
        send={t("floor.keepView")}
        busy={busy}
        disabled={name.trim() === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
