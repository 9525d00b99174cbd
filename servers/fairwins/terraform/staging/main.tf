module "mcp_server" {
  source = "../module"

  manage_mcp_server = var.manage_mcp_server
  name              = "fairwins-mcp-server-staging"
  project           = var.project
  location          = var.location
  image             = var.image
  api_url           = var.api_url
}
