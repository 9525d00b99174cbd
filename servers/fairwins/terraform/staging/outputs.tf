output "url" {
  description = "Address of the service, or null while it is not managed."
  value       = module.mcp_server.url
}
