# fairwins-mcp as a Cloud Run service.
#
# It holds nothing: there is no secret and no token in its environment, and no service account of
# its own, because the authorisation arrives with each request and goes on to the gateway.

resource "google_cloud_run_v2_service" "mcp_server" {
  count = var.manage_mcp_server ? 1 : 0

  name     = var.name
  project  = var.project
  location = var.location
  ingress  = "INGRESS_TRAFFIC_ALL"

  lifecycle {
    precondition {
      condition     = var.image != ""
      error_message = "A managed service needs an image."
    }
  }

  template {
    timeout                          = "60s"
    max_instance_request_concurrency = 80

    scaling {
      min_instance_count = 0
      max_instance_count = var.max_instances
    }

    containers {
      image = var.image

      ports {
        container_port = 8790
      }

      resources {
        limits = {
          cpu    = "1"
          memory = "256Mi"
        }
        cpu_idle = true
      }

      env {
        name  = "FAIRWINS_API_URL"
        value = var.api_url
      }

      dynamic "env" {
        for_each = length(var.allowed_origins) > 0 ? [join(",", var.allowed_origins)] : []
        content {
          name  = "FAIRWINS_MCP_ALLOWED_ORIGINS"
          value = env.value
        }
      }

      startup_probe {
        period_seconds    = 1
        failure_threshold = 15
        http_get {
          path = "/healthz"
          port = 8790
        }
      }

      liveness_probe {
        period_seconds = 30
        http_get {
          path = "/healthz"
          port = 8790
        }
      }
    }
  }
}

# Anyone may call it: without a token of their own they reach the public tools only.
resource "google_cloud_run_v2_service_iam_member" "anyone" {
  count = var.manage_mcp_server ? 1 : 0

  project  = var.project
  location = var.location
  name     = google_cloud_run_v2_service.mcp_server[0].name
  role     = "roles/run.invoker"
  member   = "allUsers"
}
