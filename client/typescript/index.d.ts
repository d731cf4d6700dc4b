import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
export type GenerateRequest = Schemas["GenerateRequest"];
export type Settings = Schemas["Settings"];
export type ProjectRequest = Schemas["ProjectRequest"];
export type Project = Schemas["Project"];
export type Model = Schemas["Model"];
export type JobRecord = Schemas["Job"];
export type JobStatus = Schemas["JobStatus"];
export type StreamToken = Schemas["StreamToken"];
/** What the service posts to a webhook. */
export type WebhookPost = Schemas["WebhookPost"];
/** An event of a job, told apart by `type`. */
export type Event = Exclude<Schemas["Event"], Schemas["StreamClosing"]>;

type Method = "GET" | "POST" | "DELETE";
type MethodOf<P extends keyof paths> = { [M in Method]: paths[P][Lowercase<M>] extends undefined ? never : M }[Method];
type Operation<P extends keyof paths, M extends Method> = paths[P][Lowercase<M>];
type InJSON<T> = T extends { content: { "application/json": infer B } } ? B : never;
type Params<O, K extends "path" | "query"> = O extends { parameters: { [X in K]?: infer V } } ? V : never;
type BodyOf<O> = O extends { requestBody?: infer B } ? InJSON<NonNullable<B>> : never;
type Answer<O> = O extends { responses: infer R } ? InJSON<R[keyof R & (200 | 201)]> : never;
type AsText<Q> = [Q] extends [never] ? false : Q extends { format: "csv" | "ndjson" } ? true : false;

export interface Abortable {
  signal?: AbortSignal;
}

/** A wait before another attempt. */
export interface Retry {
  /** Milliseconds. */
  delay: number;
  error: unknown;
  attempt: number;
}

export interface Options {
  /** The secret, "sk-…". It never belongs into a browser: see followJob. */
  apiKey: string;
  /** The service's address; /v1 at its end makes no difference. Default: http://localhost:8080. */
  baseURL?: string;
  fetch?: typeof fetch;
  /** Is told about each wait before it begins. */
  onRetry?: (retry: Retry) => void;
}

/** A refusal of the service, or an answer that is not the service's: then status is below 400. */
export class SvcError extends Error {
  readonly status: number;
  readonly reason?: string;
  readonly limit?: "jobsPerDay" | "jobsPerMonth" | "maxConcurrentJobs" | "tikPerMonth";
  /** Finds the request in the service's log. */
  readonly requestId?: string;
  /** Of a 504: the job that may exist. */
  readonly jobId?: string;
  /** Milliseconds after which another try is worth it. */
  readonly retryAfter?: number;
}

export class Client {
  constructor(options: Options);
  /** Each attempt has the same Idempotency-Key: it makes one project. */
  createProject(
    request: ProjectRequest,
    options?: Abortable & { idempotencyKey?: string },
  ): Promise<Schemas["ProjectCreatedRef"]>;
  project(id: string, options?: Abortable): Promise<Project>;
  deleteProject(id: string, options?: Abortable): Promise<void>;
  /** All projects of the key's user, newest first, page by page. */
  projects(options?: Abortable & { limit?: number }): AsyncGenerator<Project, void, undefined>;
  /** Jobs of a project, or of all, newest first, page by page. */
  jobs(
    options?: Abortable & { projectId?: string; status?: JobStatus; limit?: number },
  ): AsyncGenerator<JobRecord, void, undefined>;
  models(options?: Abortable): Promise<Model[]>;
  /**
   * Any other operation of the document that answers JSON, as
   * `request("POST", "/v1/projects/{projectId}/publish", { path: { projectId }, body: { jobId } })`, or a view of
   * analytics as text, with `query: { format: "csv" }`. It waits out a 503 for a minute.
   */
  request<P extends keyof paths, M extends MethodOf<P>, Q extends Params<Operation<P, M>, "query">>(
    method: M,
    path: P,
    options?: Abortable & {
      path?: Params<Operation<P, M>, "path">;
      query?: Q;
      body?: BodyOf<Operation<P, M>>;
    },
  ): Promise<AsText<Q> extends true ? string : Answer<Operation<P, M>>>;
  /**
   * Submits a job. While the engine starts (503) it waits as long as the service says and sends the
   * same again, for retryBudget milliseconds in all; default: 8 minutes. Each attempt has the same
   * Idempotency-Key, so that an answer that was lost makes no second job.
   */
  generate(
    request: GenerateRequest,
    options?: Abortable & { idempotencyKey?: string; retryBudget?: number },
  ): Promise<Job>;
  /** A job of an earlier submission. */
  job(of: { jobId: string; projectId?: string }): Job;
}

export class Job {
  readonly jobId: string;
  readonly projectId?: string;
  readonly sessionId?: string;
  status(options?: Abortable): Promise<JobRecord>;
  cancel(options?: Abortable): Promise<JobRecord>;
  /** A token with which a browser follows this job, and nothing else, for five minutes. */
  streamToken(options?: Abortable): Promise<StreamToken>;
  /**
   * Each event once and in order, after a number, until the job's last. It connects again by itself, for 8 minutes
   * without a sign of the service.
   */
  events(options?: Abortable & { after?: number }): AsyncGenerator<Event, void, undefined>;
  /** The record of the job once it has ended, whatever its end. */
  wait(options?: Abortable & { onEvent?: (event: Event) => void }): Promise<JobRecord>;
  /**
   * The ZIP. A broken connection is taken up where it broke; what came is checked by its SHA-256. total is 0 where the
   * answer does not say it.
   */
  download(
    options?: Abortable & { onProgress?: (bytes: number, total: number) => void },
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** Follows a job in a browser, with a token of Job.streamToken or a function that gets one. */
export function followJob(options: Abortable & {
  jobId: string;
  projectId?: string;
  token: string | (() => Promise<string>);
  /** Default: the page's own site. */
  baseURL?: string;
  after?: number;
  fetch?: typeof fetch;
}): AsyncGenerator<Event, void, undefined>;

/**
 * What was posted, once it is known to be the service's: one of its signatures is made with the secret, no more than
 * five minutes from now. body is what came, before anything read it; an object of headers has lower-case names.
 */
export function verifyWebhook(post: {
  headers: Headers | Record<string, string | undefined>;
  body: string | Uint8Array;
  secret: string;
  /** Milliseconds; default: Date.now(). */
  now?: number;
}): Promise<WebhookPost>;
