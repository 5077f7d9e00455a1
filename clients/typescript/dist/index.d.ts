/** A client of the Pre-Alerts API: retries, Idempotency-Keys, pages as async iterators, and webhooks that are verified. */
import { createClient } from "./generated/client/index.js";
import type * as types from "./generated/types.gen.js";
export * from "./generated/index.js";
/** The service refused the request. Branch on `code`; treat one that you do not know by its `status`. */
export declare class ApiError extends Error {
    readonly status: number;
    readonly body: Record<string, unknown>;
    readonly requestId: string;
    readonly code: string;
    readonly details: Record<string, string[]>;
    /** body: the whole answer, with `invalid_rows`, `manifest_id` and whatever else belongs to the code. */
    constructor(status: number, body: Record<string, unknown>, requestId: string);
}
/** No answer that counts, however often it was tried. A POST under `idempotencyKey` may have arrived all the same. */
export declare class Unavailable extends Error {
    readonly idempotencyKey: string | undefined;
    constructor(reason: string, idempotencyKey: string | undefined, cause?: unknown);
}
export interface Settings {
    /** How often a request is tried. Default: 6. */
    attempts?: number;
    /** `en` or `es`, of the messages of warnings, notices and rows. */
    language?: string;
    /** What waits between attempts. */
    sleep?: (milliseconds: number) => Promise<void>;
}
type Flight = Omit<types.UploadForm, "manifest_file">;
type Query<Data extends {
    query?: object;
}> = Omit<NonNullable<Data["query"]>, "cursor">;
/** One company's way to the service. Every method throws `ApiError` for a refusal, and `Unavailable`. */
export declare class Client {
    #private;
    /** For any operation of the API: `await rotateSecret({ ...client.call, path: { subscription_id: id } })`. */
    readonly call: {
        client: ReturnType<typeof createClient>;
        throwOnError: true;
    };
    /** address: such as `https://prealerts.example.com`. */
    constructor(address: string, password: string, settings?: Settings);
    /** Your company: the countries and workbooks open to it, its tracking prefix, its rate limit. */
    me(): Promise<types.Me>;
    /** Send a workbook. The manifest is created once, however often it has to be sent. key: of an earlier attempt. */
    uploadManifest(manifest: Blob, flight?: Flight, key?: string): Promise<types.UploadResult>;
    /** Send a JSON manifest; as `uploadManifest`. */
    postManifest(manifest: types.JsonManifest, key?: string): Promise<types.JsonResult>;
    /** Try a workbook: what `uploadManifest` would be answered. Nothing is stored. */
    validateWorkbook(manifest: Blob, flight?: Flight): Promise<types.Validation>;
    /** Try a JSON manifest; as `validateWorkbook`. */
    validateManifest(manifest: types.JsonManifest): Promise<types.Validation>;
    getMawb(mawb: string): Promise<types.MawbDetail>;
    getGuide(tracking_code: string): Promise<types.Guide>;
    /** All MAWBs, newest first, page after page as they are taken. */
    listMawbs(query?: Query<types.ListMawbsData>): AsyncGenerator<types.MawbSummary>;
    /** The guides of one MAWB, page after page: for those of many thousands. */
    listGuides(mawb: string, query?: Query<types.ListGuidesData>): AsyncGenerator<types.GuideSummary>;
    /** The log of webhooks, newest first, all pages. */
    listDeliveries(query?: Query<types.ListDeliveriesData>): AsyncGenerator<types.DeliveryItem>;
}
/** The event of a webhook of version 2. body: as it came. secrets: several during a rotation. Throws if none signed it. */
export declare function verify(body: string | Buffer, headers: Record<string, string | string[] | undefined>, secrets: string | string[]): types.Webhooks["body"];
