export { changeTask, setTaskTimes, type TaskChange } from "./change.ts";
export { createTasks, type Tasks, type TasksNow } from "./keeper.ts";
export type { SetTargets } from "./kinds.ts";
export { noticesOf, readNotices } from "./notices.ts";
