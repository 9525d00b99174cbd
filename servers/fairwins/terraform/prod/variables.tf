variable "manage_mcp_server" {
  description = "Whether the service exists. Turn it on after the image has been published."
  type        = bool
  default     = false
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
  description = "Image by digest. Empty while the service is not managed."
  type        = string
  default     = ""
}

variable "api_url" {
  description = "Base URL of the FairWins gateway."
  type        = string
  default     = "https://relay.fairwins.app"
}
