import { useNavigate, useSearch } from "@tanstack/react-router";

/** Whether the sheet that adds something is open on a page: the address says so, and a link or the palette may lead straight to it. */
export function useAdding(path: string) {
  const navigate = useNavigate();
  const { act } = useSearch({ strict: false }) as { readonly act?: string };
  return {
    adding: act === "add",
    setAdding: (open: boolean) =>
      void navigate({ to: path, search: (open ? { act: "add" } : {}) as never, replace: true }),
  };
}
