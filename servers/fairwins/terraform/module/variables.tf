variable "manage_mcp_server" {
  description = "Whether the service exists. Off until its image is published: creating it against a missing image would fail and stop everything else that is applied with it."
  type        = bool
  default     = false
}

variable "name" {
  description = "Name of the service."
  type        = string
}

variable "project" {
  description = "Project that the service belongs to."
  type        = string
}

variable "location" {
  description = "Region that the service runs in."
  type        = string
}

variable "image" {
  description = "Image by digest, as name@sha256:…, so that what was tested is what runs."
  type        = string
  default     = ""

  validation {
    condition     = var.image == "" || can(regex("@sha256:[0-9a-f]{64}$", var.image))
    error_message = "An image is given by its digest."
  }
}

variable "api_url" {
  description = "Base URL of the FairWins gateway."
  type        = string

  validation {
    condition     = startswith(var.api_url, "https://")
    error_message = "Members' tokens travel to the gateway: only https will do."
  }
}

variable "allowed_origins" {
  description = "Origins of pages that are served, beside those of the caller's own machine."
  type        = list(string)
  default     = []

  validation {
    condition     = !contains(var.allowed_origins, "*")
    error_message = "There is no wildcard."
  }
}

variable "max_instances" {
  description = "Most instances at a time. There are none while nobody calls."
  type        = number
  default     = 4
}
