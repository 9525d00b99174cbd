"""Operation receipts: what a run's events prove, read through one template."""

from __future__ import annotations

from haia_trace_mcp.receipts.assembly import Assembly, assemble, in_order
from haia_trace_mcp.receipts.document import Document, RunInput, build_document
from haia_trace_mcp.receipts.receipt import (
    Completeness,
    Fault,
    MissingStage,
    Receipt,
    StageResult,
    is_witness,
    make_receipt,
)

__all__ = [
    "Assembly",
    "Completeness",
    "Document",
    "Fault",
    "MissingStage",
    "Receipt",
    "RunInput",
    "StageResult",
    "assemble",
    "build_document",
    "in_order",
    "is_witness",
    "make_receipt",
]
