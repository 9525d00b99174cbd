output "url" {
  description = "Address of the service, or null while it is not managed. MCP is at its path /mcp."
  value       = one(google_cloud_run_v2_service.mcp_server[*].uri)
}
