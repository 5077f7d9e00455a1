"""The addresses of the pages, below the list of formats."""

from django.contrib import admin
from django.urls import URLPattern, path

from shipments.admin.formats import (
    binding_pages,
    columns_page,
    format_page,
    past_page,
    place_page,
    reading_page,
    sample_page,
    saving_page,
)


def format_urls() -> list[URLPattern]:
    """The patterns, for staff only; the views check the permission. Their names are those of the model's pages."""
    view = admin.site.admin_view
    prefix = "shipments_workbookformat"
    return [
        path("house/", view(binding_pages.house), name=f"{prefix}_house"),
        path("import/", view(binding_pages.import_page), name=f"{prefix}_import"),
        path("new/", view(sample_page.new_sample), name=f"{prefix}_new"),
        path("<uuid:object_id>/sample/", view(sample_page.new_sample), name=f"{prefix}_sample"),
        path("<uuid:object_id>/v<int:number>.json", view(format_page.download), name=f"{prefix}_download"),
        path("<uuid:object_id>/empty.xlsx", view(format_page.empty), name=f"{prefix}_empty"),
        path("<uuid:object_id>/alarms/<int:alarm_id>/", view(format_page.accept), name=f"{prefix}_accept"),
        path("drafts/<uuid:draft_id>/where/", view(place_page.where), name=f"{prefix}_where"),
        path("drafts/<uuid:draft_id>/columns/", view(columns_page.columns), name=f"{prefix}_columns"),
        path("drafts/<uuid:draft_id>/reading/", view(reading_page.reading), name=f"{prefix}_reading"),
        path("drafts/<uuid:draft_id>/reading.csv", view(reading_page.reading_csv), name=f"{prefix}_reading_csv"),
        path("drafts/<uuid:draft_id>/annotated.xlsx", view(reading_page.annotated), name=f"{prefix}_annotated"),
        path("drafts/<uuid:draft_id>/past/", view(past_page.past), name=f"{prefix}_past"),
        path(
            "drafts/<uuid:draft_id>/past/<uuid:manifest_id>/",
            view(past_page.past_reading),
            name=f"{prefix}_past_reading",
        ),
        path("drafts/<uuid:draft_id>/save/", view(saving_page.save), name=f"{prefix}_save"),
        path("drafts/<uuid:draft_id>/discard/", view(sample_page.discard), name=f"{prefix}_discard"),
    ]
